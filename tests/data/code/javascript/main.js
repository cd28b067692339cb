import { Queue, run } from './queue.js';

// Queue in a comment
const queue = new Queue();
queue.enqueue(() => `Queue ${run(String)}`);
