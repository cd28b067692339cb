export const DEFAULT_SIZE = 8;

/**
 * A queue of jobs.
 */
export class Queue {
  constructor(size = DEFAULT_SIZE) {
    this.size = size;
  }

  // Adds a job.
  enqueue(job) {
    return run(job);
  }
}

export function run(job) {
  return job();
}

const later = (job) => setTimeout(() => run(job), 0);
module.exports = { later };
