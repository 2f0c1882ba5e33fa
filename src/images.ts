/** Descriptor images, API documents and the programs of threads. The folder `gen` is one level above both the sources and the bundles. */
export const images = {
  operations: new URL('../gen/image.binpb', import.meta.url),
  comments: new URL('../gen/docs.binpb', import.meta.url),
  openApi: new URL('../gen/openapi.json', import.meta.url),
  /** The files exist next to the bundles only: browsers do not run the sources. */
  explorer: new URL('./', import.meta.url),
  scriptWorker: new URL('./script-worker.js', import.meta.url),
  longWorkWorker: new URL('./long-work-worker.js', import.meta.url),
} as const;
