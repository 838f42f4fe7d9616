/** What `npm run differential` loads. */
export { runDifferential } from './differential.ts'
export { reportText } from './report.ts'
