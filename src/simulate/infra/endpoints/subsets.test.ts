import { describe, expect, it } from 'vitest'
import type { Pod } from '../../objects.ts'
import { podOf, serviceOf } from '../common/test-objects.ts'
import { maxAddresses, subsetsOf, truncated } from './subsets.ts'

const withPort = (name: string, port: number, facts = {}): Pod => {
  const pod = podOf(name, { ip: `10.0.0.${port & 255}`, ...facts })
  const containers = [
    { name: 'c', image: 'x', resources: {}, ports: [{ name: 'p', containerPort: port, protocol: 'TCP' }] },
  ]
  return { ...pod, spec: { ...pod.spec, containers } as NonNullable<Pod['spec']> }
}

describe('the subsets of Endpoints', () => {
  it('have one for each set of ports, with ready addresses apart', () => {
    const service = serviceOf({ ports: [{ name: 'x', port: 80, targetPort: 'p', protocol: 'TCP' }] })
    const subsets = subsetsOf(service, [
      withPort('a', 1),
      withPort('b', 1, { ip: '10.0.0.9', ready: false }),
      withPort('c', 2),
    ])
    const shown = subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => [
      ports.map(({ port }) => port),
      addresses.map(({ ip }) => ip),
      notReadyAddresses.map(({ ip }) => ip),
    ])
    expect(shown).toHaveLength(2)
    expect(shown).toContainEqual([[1], ['10.0.0.1'], ['10.0.0.9']])
    expect(shown).toContainEqual([[2], ['10.0.0.2'], []])
  })

  it.each([
    ['terminating pods', {}, { isDeleting: true }, 0],
    ['terminating pods that are published', { publishNotReadyAddresses: true }, { isDeleting: true }, 1],
    ['pods without the port', { ports: [{ port: 80, targetPort: 'none', protocol: 'TCP' }] }, {}, 0],
    ['headless services without ports', { clusterIP: 'None', ports: [] }, {}, 1],
    ['other services without ports', { ports: [] }, {}, 0],
    ['pods of another family', { ipFamilies: ['IPv6'] }, {}, 0],
  ])('of %s', (_, spec, facts, count) => {
    expect(subsetsOf(serviceOf(spec), [podOf('a', facts)])).toHaveLength(count)
  })

  it.each([
    [1001, 0, 1000, 0],
    [900, 200, 900, 100],
    [1200, 50, 1000, 0],
    [1000, 0, 1000, 0],
  ])('hold at most a thousand: %i ready, %i not', (ready, unready, keptReady, keptUnready) => {
    const addresses = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }))
    const given = [{ addresses: addresses(ready), notReadyAddresses: addresses(unready) }]
    const { subsets, isTruncated } = truncated(given)
    expect(isTruncated).toBe(ready + unready > maxAddresses)
    expect(subsets[0]?.addresses ?? []).toHaveLength(keptReady)
    expect(subsets[0]?.notReadyAddresses ?? []).toHaveLength(keptUnready)
  })
})
