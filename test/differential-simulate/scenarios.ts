/** All scenarios, by the part of a cluster that they are about. */
import type { Scenario } from './scenario.ts'
import { batchScenarios } from './scenarios/batch.ts'
import { certificateScenarios } from './scenarios/certificates.ts'
import { deploymentScenarios } from './scenarios/deployments.ts'
import { deviceScenarios } from './scenarios/devices.ts'
import { policyScenarios } from './scenarios/policies.ts'
import { schedulingScenarios } from './scenarios/scheduling.ts'
import { serviceScenarios } from './scenarios/services.ts'
import { setScenarios } from './scenarios/sets.ts'
import { storageScenarios } from './scenarios/storage.ts'

export const scenarios: readonly Scenario[] = [
  ...deploymentScenarios,
  ...setScenarios,
  ...batchScenarios,
  ...serviceScenarios,
  ...policyScenarios,
  ...storageScenarios,
  ...schedulingScenarios,
  ...deviceScenarios,
  ...certificateScenarios,
]
