/** Which of the built-in controllers run. They have the names of the same controllers in kube-controller-manager. */
import { join, normalize } from 'node:path'
import type { FlagValues } from './flags.ts'

/** All controllers of kube-controller-manager v1.33. Most run only where the cluster is simulated, a few never. */
export const controllerNames = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'cloud-node-lifecycle-controller',
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'ephemeral-volume-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'namespace-controller',
  'node-ipam-controller',
  'node-lifecycle-controller',
  'node-route-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourceclaim-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'selinux-warning-controller',
  'service-cidr-controller',
  'service-lb-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
  'storage-version-migrator-controller',
  'storageversion-garbage-collector-controller',
  'taint-eviction-controller',
  'token-cleaner-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
  'volumeattributesclass-protection-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

/** Names of before v1.28, which kube-controller-manager still takes. */
const aliases: Readonly<Record<string, ControllerName>> = {
  bootstrapsigner: 'bootstrap-signer-controller',
  csrapproving: 'certificatesigningrequest-approving-controller',
  csrcleaner: 'certificatesigningrequest-cleaner-controller',
  csrsigning: 'certificatesigningrequest-signing-controller',
  'cloud-node-lifecycle': 'cloud-node-lifecycle-controller',
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  cronjob: 'cronjob-controller',
  daemonset: 'daemonset-controller',
  deployment: 'deployment-controller',
  disruption: 'disruption-controller',
  endpoint: 'endpoints-controller',
  endpointslice: 'endpointslice-controller',
  endpointslicemirroring: 'endpointslice-mirroring-controller',
  'ephemeral-volume': 'ephemeral-volume-controller',
  garbagecollector: 'garbage-collector-controller',
  horizontalpodautoscaling: 'horizontal-pod-autoscaler-controller',
  job: 'job-controller',
  'legacy-service-account-token-cleaner': 'legacy-serviceaccount-token-cleaner-controller',
  namespace: 'namespace-controller',
  nodeipam: 'node-ipam-controller',
  nodelifecycle: 'node-lifecycle-controller',
  route: 'node-route-controller',
  attachdetach: 'persistentvolume-attach-detach-controller',
  'persistentvolume-binder': 'persistentvolume-binder-controller',
  'persistentvolume-expander': 'persistentvolume-expander-controller',
  'pv-protection': 'persistentvolume-protection-controller',
  'pvc-protection': 'persistentvolumeclaim-protection-controller',
  podgc: 'pod-garbage-collector-controller',
  replicaset: 'replicaset-controller',
  replicationcontroller: 'replicationcontroller-controller',
  'resource-claim-controller': 'resourceclaim-controller',
  resourcequota: 'resourcequota-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
  service: 'service-lb-controller',
  serviceaccount: 'serviceaccount-controller',
  'serviceaccount-token': 'serviceaccount-token-controller',
  statefulset: 'statefulset-controller',
  svm: 'storage-version-migrator-controller',
  'storage-version-gc': 'storageversion-garbage-collector-controller',
  tokencleaner: 'token-cleaner-controller',
  'ttl-after-finished': 'ttl-after-finished-controller',
  ttl: 'ttl-controller',
}

/** Those that `*` does not turn on. */
const offByDefault: ReadonlySet<string> = new Set<ControllerName>([
  'bootstrap-signer-controller',
  'selinux-warning-controller',
  'token-cleaner-controller',
])

function canonicalName(name: string): string {
  const known = Object.entries(aliases).find(([alias]) => alias === name)
  return known?.[1] ?? name
}

/** What pods need that run as a service account. */
const accountControllers: readonly ControllerName[] = [
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
]

/**
 * What `--controllers` says. Without it all, but:
 * - none for envtest: its suites have no controller manager beside them, and finalize namespaces and delete dependents
 *   themselves. It is known by the files that it writes before it starts the server;
 * - those that make service accounts and CA bundles only where the admission plugin ServiceAccount asks for them.
 */
export function selectedControllers(flags: FlagValues): readonly string[] {
  if (flags.isSet('controllers')) return flags.list('controllers').map(withCanonicalName)
  if (isEnvtest(flags) && !flags.isSet('simulate')) return []
  const needsAccounts = !flags.list('disable-admission-plugins').includes('ServiceAccount')
  return needsAccounts ? ['*'] : ['*', ...accountControllers.map((name) => `-${name}`)]
}

const withCanonicalName = (name: string): string =>
  name.startsWith('-') ? `-${canonicalName(name.slice(1))}` : canonicalName(name)

const envtestFiles: readonly (readonly [flag: string, file: string])[] = [
  ['client-ca-file', 'client-cert-auth-ca.crt'],
  ['service-account-signing-key-file', 'sa-signer.key'],
]

function isEnvtest(flags: FlagValues): boolean {
  const folder = flags.optional('cert-dir')
  return folder !== undefined && envtestFiles.every(([flag, file]) => isFile(flags, flag, join(folder, file)))
}

const isFile = (flags: FlagValues, flag: string, file: string): boolean => {
  const [given] = [flags.optional(flag)].flat()
  return given !== undefined && normalize(given) === normalize(file)
}

/** Whether `--controllers` leaves a controller on: its own name first, then `-name`, then `*`. */
export function isControllerEnabled(selection: readonly string[], name: ControllerName): boolean {
  if (selection.includes(name)) return true
  return selection.includes('*') && !offByDefault.has(name) && !selection.includes(`-${name}`)
}

/** A misspelt name would turn everything else off without a word. */
export function unknownControllers(selection: readonly string[]): string[] {
  const names = selection.map((name) => withCanonicalName(name).replace(/^-/, '')).filter((name) => name !== '*')
  return names
    .filter((name) => !controllerNames.some((known) => known === name))
    .map((name) => `${JSON.stringify(name)} is not in the list of known controllers: ${controllerNames.join(', ')}`)
}
