/** Says to the program that it is a worker, and which. In a file of its own: every start looks at it. */
export const workerVariable = 'PILOTHOUSE_REQUEST_WORKER'
