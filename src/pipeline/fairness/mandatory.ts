/** What holds before there are any flow control objects, and where a mandatory one is missing. */
import type { FlowSchema, FlowSubject } from './flow-schema.ts'
import type { LevelSettings } from './level-settings.ts'

export const mandatoryPriorityLevels: readonly LevelSettings[] = [
  {
    name: 'exempt',
    uid: '',
    exempt: true,
    shares: 0,
    lendablePercent: 0,
    borrowingPercent: undefined,
    queuing: undefined,
  },
  {
    name: 'catch-all',
    uid: '',
    exempt: false,
    shares: 5,
    lendablePercent: 0,
    borrowingPercent: undefined,
    queuing: undefined,
  },
]

const everything = (groups: readonly string[]) => [
  {
    subjects: groups.map((name): FlowSubject => ({ kind: 'Group', name })),
    resources: [
      { verbs: undefined, groups: undefined, resources: undefined, clusterScope: true, namespaces: undefined },
    ],
    paths: [{ verbs: undefined, paths: ['*'] }],
  },
]

export const exemptSchema: FlowSchema = {
  name: 'exempt',
  uid: '',
  precedence: 1,
  level: 'exempt',
  distinguisher: undefined,
  rules: everything(['system:masters']),
}

export const catchAllSchema: FlowSchema = {
  name: 'catch-all',
  uid: '',
  precedence: 10_000,
  level: 'catch-all',
  distinguisher: 'ByUser',
  rules: everything(['system:unauthenticated', 'system:authenticated']),
}
