import { describe, expect, it } from 'vitest'
import { formatGroupVersion } from '../api/group-version.ts'
import { catalogAt } from '../catalog/releases.ts'
import type { CatalogResource } from '../catalog/resources.ts'
import { parseServerOptions } from '../config/server-options.ts'
import { servedResources } from './api-enablement.ts'

/** `group/version/resource`. */
function isServed(flags: readonly string[], name: string): boolean {
  const options = parseServerOptions(flags)
  const isIt = (each: CatalogResource): boolean => `${formatGroupVersion(each)}/${each.resource}` === name
  const served = servedResources(options)
  const resource = catalogAt(options.version.emulation.minor).resources.find(isIt)
  if (resource === undefined) throw new Error(`${name} is not there`)
  return served(resource)
}

const at = (release: string, ...more: string[]): string[] => [`--emulated-version=${release}`, ...more]
const ahead = '--runtime-config-emulation-forward-compatible=true'

describe('what is served', () => {
  it.each<[string, string[], string, boolean]>([
    ['stable by default', [], 'apps/v1/deployments', true],
    ['beta not', [], 'networking.k8s.io/v1beta1/ipaddresses', false],
    [
      'beta when asked for',
      ['--runtime-config=networking.k8s.io/v1beta1'],
      'networking.k8s.io/v1beta1/ipaddresses',
      true,
    ],
    ['what came later not', at('1.32'), 'networking.k8s.io/v1/ipaddresses', false],
    [
      'what came later not by api/all',
      at('1.32', '--runtime-config=api/all=true'),
      'networking.k8s.io/v1/ipaddresses',
      false,
    ],
    [
      'what came later, asked for with leave',
      at('1.32', '--runtime-config=networking.k8s.io/v1/ipaddresses=true', ahead),
      'networking.k8s.io/v1/ipaddresses',
      true,
    ],
    [
      'a version that is partly later, asked for: its later resources not',
      at('1.32', '--runtime-config=networking.k8s.io/v1=true'),
      'networking.k8s.io/v1/ipaddresses',
      false,
    ],
    [
      'successors of what is served',
      at('1.31', '--runtime-config=networking.k8s.io/v1beta1=true', '--emulation-forward-compatible=true'),
      'networking.k8s.io/v1/ipaddresses',
      true,
    ],
    [
      'no successors of what is not served',
      at('1.31', '--emulation-forward-compatible=true'),
      'networking.k8s.io/v1/ipaddresses',
      false,
    ],
    ['old betas by default', at('1.21'), 'batch/v1beta1/cronjobs', true],
    ['old alphas not', at('1.20'), 'batch/v2alpha1/cronjobs', false],
    ['old alphas when asked for', at('1.20', '--runtime-config=batch/v2alpha1'), 'batch/v2alpha1/cronjobs', true],
    [
      'old betas not when switched off',
      at('1.21', '--runtime-config=batch/v1beta1=false'),
      'batch/v1beta1/cronjobs',
      false,
    ],
    [
      'old betas not when betas are off',
      at('1.21', '--runtime-config=api/beta=false'),
      'batch/v1beta1/cronjobs',
      false,
    ],
    [
      'one resource of an old version',
      at('1.16', '--runtime-config=extensions/v1beta1/deployments=true'),
      'extensions/v1beta1/deployments',
      true,
    ],
    [
      'and not the others',
      at('1.16', '--runtime-config=extensions/v1beta1/deployments=true'),
      'extensions/v1beta1/daemonsets',
      false,
    ],
    [
      'its subresources',
      at('1.16', '--runtime-config=extensions/v1beta1/deployments=true'),
      'extensions/v1beta1/ingresses',
      true,
    ],
  ])('%s', (_, flags, name, expected) => {
    expect(isServed(flags, name)).toBe(expected)
  })

  it.each<[string[], string]>([
    [
      at('1.31', '--runtime-config=networking.k8s.io/v1/ipaddresses=true'),
      'cannot enable resource networking.k8s.io/v1, Resource=ipaddresses in runtime-config because it is introduced at 1.33 after the current version 1.31. Consider setting --runtime-config-emulation-forward-compatible=true',
    ],
    [
      at('1.31', '--runtime-config=resource.k8s.io/v1beta1=true'),
      'cannot enable version resource.k8s.io/v1beta1 in runtime-config because all the resources have been introduced after the current version 1.31. Consider setting --runtime-config-emulation-forward-compatible=true',
    ],
    [at('1.25', '--runtime-config=batch/v1beta1=true'), 'group version batch/v1beta1 that has not been registered'],
    [at('1.18', '--runtime-config=apps/v1beta1=true'), 'group version apps/v1beta1 that has not been registered'],
    [
      ['--emulation-forward-compatible=true'],
      'ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version',
    ],
    [
      [ahead],
      'ServerRunOptions.RuntimeConfigEmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version',
    ],
  ])('refuses %j', (flags, message) => {
    expect(() => isServed(flags, 'apps/v1/deployments')).toThrow(message)
  })
})
