/** Which of the built-in controllers run. They have the names of the same controllers in kube-controller-manager. */
import { join, normalize } from 'node:path'
import type { FlagValues } from './flags.ts'

export const controllerNames = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'validatingadmissionpolicy-status-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

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
  if (flags.isSet('controllers')) return flags.list('controllers')
  if (isEnvtest(flags)) return []
  const needsAccounts = !flags.list('disable-admission-plugins').includes('ServiceAccount')
  return needsAccounts ? ['*'] : ['*', ...accountControllers.map((name) => `-${name}`)]
}

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
  return selection.includes('*') && !selection.includes(`-${name}`)
}

/** A misspelt name would turn everything else off without a word. */
export function unknownControllers(selection: readonly string[]): string[] {
  const names = selection.map((name) => name.replace(/^-/, '')).filter((name) => name !== '*')
  return names
    .filter((name) => !controllerNames.some((known) => known === name))
    .map((name) => `${JSON.stringify(name)} is not in the list of known controllers: ${controllerNames.join(', ')}`)
}
