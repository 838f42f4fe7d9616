/** What `npm run differential:simulate` loads. */
export { openCluster } from './cluster.ts'
export { runScenarios } from './differential-simulate.ts'
export { scenarioText, sumText } from './report.ts'
export { scenarios } from './scenarios.ts'
