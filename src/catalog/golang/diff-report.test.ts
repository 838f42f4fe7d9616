import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyList, emptyMap } from '../../api/json.ts'
import { decodePart } from '../../schema/decode.ts'
import { typeSchema } from '../catalog.ts'
import { goDiff } from './diff-report.ts'

const claim = {
  accessModes: ['ReadWriteOnce'],
  selector: { matchLabels: { a: 'b' } },
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 'sc',
  volumeMode: 'Filesystem',
}

describe('a report of differences', () => {
  test('is empty where there are none', () => {
    expect(goDiff('core.PersistentVolumeClaimSpec', { before: claim, after: { ...claim } })).toBe('')
    expect(goDiff('core.PersistentVolumeClaimSpec', { before: {}, after: { resources: {} } })).toBe('')
  })

  test('shows what is gone and what has come, and shortens the rest', () => {
    const { selector: _, ...after } = { ...claim, resources: {}, storageClassName: 'other' }
    expect(goDiff('core.PersistentVolumeClaimSpec', { before: claim, after })).toBe(`\
  core.PersistentVolumeClaimSpec{
  	AccessModes: {"ReadWriteOnce"},
- 	Selector:    s"&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}",
+ 	Selector:    nil,
  	Resources: core.VolumeResourceRequirements{
  		Limits: nil,
- 		Requests: core.ResourceList{
- 			s"storage": {i: resource.int64Amount{value: 1073741824}, s: "1Gi", Format: "BinarySI"},
- 		},
+ 		Requests: nil,
  	},
  	VolumeName:       "",
- 	StorageClassName: &"sc",
+ 	StorageClassName: &"other",
  	VolumeMode:       &"Filesystem",
  	DataSource:       nil,
  	... // 2 identical fields
  }
`)
  })

  test('shows a quantity as it was written, and one that was null as nothing', () => {
    const schema = typeSchema('core.v1.PersistentVolumeClaimSpec')
    const given = (storage: string | null) =>
      decodePart({ resources: { requests: { storage } } }, schema, { empties: 'given' })?.value
    const report = (storage: string | null): string =>
      goDiff('core.PersistentVolumeClaimSpec', { before: claim, after: given(storage) })
    expect(report('2048Mi')).toContain('s"storage": {i: resource.int64Amount{value: 2147483648}, Format: "BinarySI"}}')
    expect(report(null)).toContain('s"storage": {}}')
  })

  test('shows amounts that are held as unbounded decimals to thousandths, and others as they are held', () => {
    const spec = (storage: string) => ({ resources: { requests: { storage } } })
    const claims = (storage: string): string =>
      goDiff('core.PersistentVolumeClaimSpec', { before: spec(storage), after: {} })
    expect(claims('9223372036854775807')).toContain('{d: s"9223372036854775807.000", Format: "DecimalSI"}')
    expect(claims('1234567890123456789k')).toContain('{d: s"1234567890123456789000.000", Format: "DecimalSI"}')
    expect(claims('-1234567890123456789m')).toContain('{d: s"-1234567890123456.789", Format: "DecimalSI"}')
    const volumes = (sizeLimit: string) => ({ volumes: [{ name: 'v', emptyDir: { sizeLimit } }] })
    const report = goDiff('core.PodSpec', { before: volumes('9223372036854775807'), after: volumes('1') })
    expect(report).toContain('{d: s"9223372036854775807.000000000", Format: "DecimalSI"}')
  })

  test('tells an empty list or map from none', () => {
    const report = goDiff('core.PodSpec', { before: {}, after: { volumes: emptyList, nodeSelector: emptyMap } })
    expect(report).toContain('- \tVolumes:        nil,\n+ \tVolumes:        []core.Volume{},')
    expect(report).toContain('+ \tNodeSelector:                 map[string]string{},')
  })

  test('compares long texts piece by piece', () => {
    const text = 'a'.repeat(40)
    const report = goDiff('core.PodSpec', { before: { nodeName: `${text}x` }, after: { nodeName: `${text}y` } })
    expect(report).toContain('strings.Join({')
  })

  test('gives up on what would take long', () => {
    const env = (salt: string) => Array.from({ length: 40_000 }, (_, i) => ({ name: `${salt}${i}`, value: 'v' }))
    const spec = (salt: string) => ({ containers: [{ name: 'c', env: env(salt) }] })
    expect(goDiff('core.PodSpec', { before: spec('a'), after: spec('b') })).toBe('')
  })

  test('says something about any two values that differ', () => {
    const values = fc.record({ name: fc.string(), value: fc.string({ maxLength: 60 }) })
    const containers = fc.array(fc.record({ name: fc.string(), env: fc.array(values), args: fc.array(fc.string()) }))
    fc.assert(
      fc.property(containers, containers, (a, b) => {
        const report = goDiff('core.PodSpec', { before: { containers: a }, after: { containers: b } })
        expect(report === '').toBe(JSON.stringify(a) === JSON.stringify(b))
        for (const line of report.split('\n').slice(0, -1)) expect(line).toMatch(/^[ +-] /)
      }),
      { numRuns: 200 },
    )
  })
})
