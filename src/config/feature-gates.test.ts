import { describe, expect, it } from 'vitest'
import { resolveEffectiveVersion } from './emulated-version.ts'
import { parseFeatureGates, resolveFeatureGates } from './feature-gates.ts'
import { unmetDependencies } from './gate-requirements.ts'

const resolve = (flag: string, emulated: string[] = []) =>
  resolveFeatureGates(parseFeatureGates([flag]), resolveEffectiveVersion(emulated).emulation)

describe('feature gates', () => {
  it.each([
    ['defaults: beta', '', 'APIResponseCompression', true],
    ['defaults: alpha', '', 'CBORServingAndStorage', false],
    ['set', 'CBORServingAndStorage=true', 'CBORServingAndStorage', true],
    ['component named', 'kube:CBORServingAndStorage=true', 'CBORServingAndStorage', true],
    ['spaces', ' CBORServingAndStorage = true , ', 'CBORServingAndStorage', true],
    ['AllAlpha', 'AllAlpha=true', 'CBORServingAndStorage', true],
    ['AllAlpha leaves the named ones', 'AllAlpha=true,CBORServingAndStorage=false', 'CBORServingAndStorage', false],
    ['AllBeta', 'AllBeta=false', 'APIResponseCompression', false],
    ['AllBeta leaves alpha', 'AllBeta=true', 'CBORServingAndStorage', false],
    ['AllBeta switches on what is off by default', 'AllBeta=true', 'DeclarativeValidationTakeover', true],
  ])('%s', (_, flag, gate, expected) => {
    expect(resolve(flag).enabled(gate)).toBe(expected)
  })

  it.each([
    ['NoSuchGate=true', 'unrecognized feature gate: NoSuchGate'],
    ['__proto__=true', 'unrecognized feature gate: __proto__'],
    [
      'ConsistentListFromCache=true,PodDisruptionConditions=false',
      'cannot set feature gate PodDisruptionConditions to false, feature is locked to true',
    ],
    ['WatchList=maybe', 'invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ['WatchList', 'missing bool value for WatchList'],
    ['other:WatchList=true', 'component not registered: other'],
  ])('refuses %s', (flag, message) => {
    expect(() => resolve(flag)).toThrow(message)
  })

  it('follows the emulated version', () => {
    expect(resolve('', ['1.31']).enabled('DeclarativeValidation')).toBe(false)
    expect(() => resolve('DeclarativeValidation=true', ['1.31'])).toThrow(
      'cannot set feature gate DeclarativeValidation to true, feature is PreAlpha at emulated version 1.31',
    )
  })

  it('knows the gates that a release had and later ones have not', () => {
    expect(resolve('TTLAfterFinished=true', ['1.20']).enabled('TTLAfterFinished')).toBe(true)
    expect(resolve('', ['1.20']).enabled('TTLAfterFinished')).toBe(false)
    expect(resolve('', ['1.22']).enabled('TTLAfterFinished')).toBe(true)
    expect(() => resolve('TTLAfterFinished=false', ['1.24'])).toThrow('feature is locked to true')
    expect(() => resolve('TTLAfterFinished=true', ['1.25'])).toThrow('unrecognized feature gate: TTLAfterFinished')
    expect(() => resolve('TTLAfterFinished=true')).toThrow('unrecognized feature gate: TTLAfterFinished')
    expect(() => resolve('CronJobTimeZone=true', ['1.23'])).toThrow('feature is PreAlpha at emulated version 1.23')
    expect(resolve('', ['1.27']).enabled('PodSchedulingReadiness')).toBe(true)
    expect(
      resolve('')
        .all()
        .map(({ name }) => name),
    ).not.toContain('TTLAfterFinished')
  })

  it.each([
    ['StructuredAuthorizationConfiguration=true', 'Setting GA feature gate StructuredAuthorizationConfiguration=true.'],
    ['KMSv1=true', 'Setting deprecated feature gate KMSv1=true.'],
  ])('warns about %s', (flag, start) => {
    const warning = `${start} It will be removed in a future release.`
    expect(resolve(flag).warnings).toEqual([warning, warning])
  })

  it('lists every gate once, and fails on one that does not exist', () => {
    const names = resolve('')
      .all()
      .map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(180)
    expect(() => resolve('').enabled('NoSuchGate')).toThrow('feature "NoSuchGate" is not registered')
  })
})

describe('gates of releases after the default one', () => {
  const at = (minor: number) => resolveFeatureGates(new Map(), { major: 1, minor })
  it.each([
    // Alpha, beta, stable; not yet there; gone, as it was left.
    ['DynamicResourceAllocation', false, true],
    ['EnvFiles', false, true],
    ['MutatingAdmissionPolicy', false, true],
    ['SizeMemoryBackedVolumes', true, true],
    ['AllowServiceLBStatusOnNonLB', false, false],
  ])('%s', (gate, before, newest) => {
    expect([at(33).enabled(gate), at(36).enabled(gate)]).toEqual([before, newest])
  })

  it('cannot be set before they came, or after they went', () => {
    const set = (gate: string, minor: number) => () => resolveFeatureGates(new Map([[gate, true]]), { major: 1, minor })
    expect(set('EnvFiles', 33)).toThrow('unrecognized feature gate: EnvFiles')
    expect(set('EnvFiles', 34)).not.toThrow()
    expect(set('SizeMemoryBackedVolumes', 36)).toThrow('unrecognized feature gate: SizeMemoryBackedVolumes')
  })
})

describe('emulated version', () => {
  it.each([
    [[], 33, 32],
    [['1.32'], 32, 31],
    [['kube=1.31'], 31, 31],
    [['1.30'], 30, 29],
    [['1.16'], 16, 16],
    [['1.36'], 36, 35],
  ])('%j', (values, emulation, minCompatibility) => {
    const version = resolveEffectiveVersion(values)
    expect([version.binary.minor, version.emulation.minor, version.minCompatibility.minor]).toEqual([
      Math.max(33, emulation),
      emulation,
      minCompatibility,
    ])
  })

  it.each([
    [
      '1.15',
      '[emulation version 1.15 is not between [1.16, 1.36.0], minCompatibilityVersion version 1.16 is not between [1.16, 1.15]]',
    ],
    ['1.37', 'emulation version 1.37 is not between [1.16, 1.36.0]'],
    ['1.32.1', 'patch version not allowed, got: kube=1.32.1'],
    ['other=1.32', 'component not registered: other'],
    ['new', 'could not parse "new" as version'],
    ['2', 'illegal version string "2"'],
    ['1.33,1.34', 'duplicate version flag, kube=1.33 and kube=1.34'],
  ])('refuses %s', (value, message) => {
    expect(() => resolveEffectiveVersion(value.split(','))).toThrow(message)
  })

  it.each([
    ['1.35', '1.32', 32],
    ['1.35', 'kube=v1.35.0', 35],
    ['1.36', '1.33', 33],
  ])('%s stays compatible with %s', (emulated, oldest, minor) => {
    expect(resolveEffectiveVersion([emulated], [oldest]).minCompatibility.minor).toBe(minor)
  })

  it.each([
    ['1.35', '1.31', 'minCompatibilityVersion version 1.31 is not between [1.32, 1.35]'],
    ['1.35', '1.36', 'minCompatibilityVersion version 1.36 is not between [1.32, 1.35]'],
    ['1.35', '1.34.1', 'patch version not allowed, got: kube=1.34.1'],
    ['1.35', 'other=1.34', 'component not registered: other'],
  ])('%s is not compatible with %s', (emulated, oldest, message) => {
    expect(() => resolveEffectiveVersion([emulated], [oldest])).toThrow(message)
  })
})

describe('gates that need others', () => {
  const unmet = (minor: number, ...on: string[]): string[] =>
    unmetDependencies(resolveFeatureGates(new Map(on.map((name) => [name, true])), { major: 1, minor }))
  const off = (name: string, ...needed: string[]): string =>
    `${name} is enabled, but depends on features that are disabled: [${needed.join(' ')}]`

  it.each<[number, string[], string[]]>([
    [34, [], []],
    [34, ['ClusterTrustBundleProjection'], []],
    [35, [], []],
    [36, [], []],
    [36, ['AllAlpha', 'AllBeta'], []],
    [35, ['ClusterTrustBundleProjection'], [off('ClusterTrustBundleProjection', 'ClusterTrustBundle')]],
    [
      35,
      ['InPlacePodLevelResourcesVerticalScaling'],
      [off('InPlacePodLevelResourcesVerticalScaling', 'NodeDeclaredFeatures')],
    ],
    [35, ['UserNamespacesHostNetworkSupport'], []],
    [36, ['GangScheduling'], [off('GangScheduling', 'GenericWorkload')]],
    [36, ['GangScheduling', 'GenericWorkload'], []],
  ])('at 1.%d with %j', (release, on, errors) => {
    expect(unmet(release, ...on)).toEqual(errors)
  })
})
