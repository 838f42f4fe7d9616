import { describe, expect, it } from 'vitest'
import { parseRuntimeConfig, resolveApiEnablement, validateRuntimeConfig } from './runtime-config.ts'

const known = [
  { group: '', version: 'v1', servedByDefault: true },
  { group: 'apps', version: 'v1', servedByDefault: true },
  { group: 'batch', version: 'v1', servedByDefault: true },
  { group: 'resource.k8s.io', version: 'v1beta1', servedByDefault: false },
  { group: 'resource.k8s.io', version: 'v1beta2', servedByDefault: false },
  { group: 'storage.k8s.io', version: 'v1alpha1', servedByDefault: false },
]
const resolve = (...values: string[]) => resolveApiEnablement(parseRuntimeConfig(values), known, 33)

describe('runtime config', () => {
  it.each([
    ['', ['/v1', 'apps/v1', 'batch/v1']],
    ['batch/v1=false', ['/v1', 'apps/v1']],
    ['resource.k8s.io/v1beta1', ['/v1', 'apps/v1', 'batch/v1', 'resource.k8s.io/v1beta1']],
    [
      'api/all=true',
      ['/v1', 'apps/v1', 'batch/v1', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2', 'storage.k8s.io/v1alpha1'],
    ],
    ['api/all=false,/v1=true,apps/v1=true', ['/v1', 'apps/v1']],
    ['api/beta=true,resource.k8s.io/v1beta2=false', ['/v1', 'apps/v1', 'batch/v1', 'resource.k8s.io/v1beta1']],
    ['api/alpha=true', ['/v1', 'apps/v1', 'batch/v1', 'storage.k8s.io/v1alpha1']],
    ['api/ga=false', []],
  ])('serves the versions of %j', (flag, expected) => {
    const apis = resolve(flag)
    const served = known.filter(({ group, version }) => apis.servesVersion(group, version))
    expect(served.map(({ group, version }) => `${group}/${version}`)).toEqual(expected)
  })

  it('lets a resource differ from its version', () => {
    const apis = resolve('apps/v1/daemonsets=false', 'batch/v1=false', 'batch/v1/jobs=true')
    expect(apis.servesResource('apps', 'v1', 'daemonsets')).toBe(false)
    expect(apis.servesResource('apps', 'v1', 'deployments')).toBe(true)
    expect(apis.servesResource('batch', 'v1', 'jobs')).toBe(true)
    expect(apis.servesResource('batch', 'v1', 'cronjobs')).toBe(false)
    expect(apis.servesResource('nosuch', 'v1', 'things')).toBe(false)
  })

  it.each([
    ['batch/v2alpha1', 'group version batch/v2alpha1 that has not been registered'],
    ['/v2', 'group version v2 that has not been registered'],
    ['nosuch.example.com/v1=true', 'unknown api groups nosuch.example.com'],
    ['batch/v1=maybe', 'invalid value of batch/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ['api/all=1', 'invalid value api/all=1'],
    [
      'apps/v1/Deployments=true',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ])('refuses %s', (flag, message) => {
    expect(() => resolve(flag)).toThrow(message)
  })

  it.each([
    [
      'api/all=false',
      [
        '--runtime-config=api/all=false conflicts with --enable-priority-and-fairness=true',
        'invalid key with only api/all=false',
      ],
    ],
    [
      'api/all=false,apps/v1=true',
      ['--runtime-config=api/all=false conflicts with --enable-priority-and-fairness=true'],
    ],
    ['api/all=false,api/ga=true', []],
    ['v1=true', []],
    ['api/v1', []],
    ['api/v1/pods=true', []],
    ['api/legacy=true', []],
    ['v1beta1=true', ['runtime-config invalid key v1beta1']],
    ['a/b/c/d=true', ['runtime-config invalid key a/b/c/d']],
    ['apps/v1=false', []],
  ])('checks the keys of %s', (flag, errors) => {
    expect(validateRuntimeConfig(parseRuntimeConfig([flag]), { priorityAndFairness: true, release: 33 })).toEqual(
      errors,
    )
  })

  it.each([
    [35, 'invalid key with only api/all=false', 'unknown api groups no,no,an'],
    [36, 'invalid runtime-config with only api/all=false', 'unknown api groups an/v1,no/v1,no/v2'],
  ])('words its refusals as 1.%d', (release, only, unknown) => {
    const options = { priorityAndFairness: false, release }
    expect(validateRuntimeConfig(parseRuntimeConfig(['api/all=false']), options)).toEqual([only])
    const named = parseRuntimeConfig(['no/v2=true,no/v1=true,an/v1=true'])
    expect(() => resolveApiEnablement(named, known, release)).toThrow(unknown)
  })
})
