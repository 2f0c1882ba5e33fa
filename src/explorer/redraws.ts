const MIN_PAUSE_MS = 1000;
/** Pause after a drawing as a multiple of its duration, so that a busy node spends little of its time on the page. */
const PAUSE_FACTOR = 4;

/**
 * Draws again after news: one drawing at a time, with pauses that grow with the duration of the last one. While the node synchronises, blocks
 * come faster than its answers, and a drawing that waited for nothing would be outdated before it is shown.
 */
export class Redraws {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDrawing = false;
  /** News have come during the drawing. */
  #isDue = false;
  #isStopped = false;
  #pauseMs = MIN_PAUSE_MS;

  /** @param draw must not reject @param nowMs monotonic clock, ms */
  constructor(
    private readonly draw: () => Promise<void>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Draws after the pause. */
  request(): void {
    if (this.#isStopped) return;
    if (this.#isDrawing) this.#isDue = true;
    else this.#timer ??= setTimeout(() => void this.#run(), this.#pauseMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isDrawing = true;
    this.#isDue = false;
    const startedMs = this.nowMs();
    await this.draw();
    this.#pauseMs = Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (this.nowMs() - startedMs));
    this.#isDrawing = false;
    if (this.#isDue) this.request();
  }
}
