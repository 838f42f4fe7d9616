/** The environment variable that makes the program a worker, with its number. In a file of its own, because every start reads it. */
export const workerVariable = 'PILOTHOUSE_REQUEST_WORKER'
