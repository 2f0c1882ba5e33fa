import fc from 'fast-check';

// Fixed seed, so that a run repeats exactly. FC_RUNS raises the number of runs for a wider search.
fc.configureGlobal({ seed: 1_587_883_831, ...(process.env.FC_RUNS ? { numRuns: Number(process.env.FC_RUNS), seed: Date.now() } : {}) });

export { fc };
