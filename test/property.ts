import fc from 'fast-check';

// A fixed seed: a run repeats exactly. Raise the number of runs through FC_RUNS to search further.
fc.configureGlobal({ seed: 1_587_883_831, ...(process.env.FC_RUNS ? { numRuns: Number(process.env.FC_RUNS), seed: Date.now() } : {}) });

export { fc };
