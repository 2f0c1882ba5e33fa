/** Descriptor images and the program of verification threads. The folder `gen` is one level above both the sources and the bundles. */
export const images = {
  operations: new URL('../gen/image.binpb', import.meta.url),
  comments: new URL('../gen/docs.binpb', import.meta.url),
  verifyWorker: new URL('./verify-worker.js', import.meta.url),
} as const;
