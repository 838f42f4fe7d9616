/** `pilothouse-apiserver`: the server in a program of one's own. */
export type * from './api.ts'
export { createServer } from './create-server.ts'
