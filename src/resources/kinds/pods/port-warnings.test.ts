import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FieldPath } from '../../../api/field-path.ts'
import type { ContainerPort, PodSpec } from '../../../catalog/types/core-v1.ts'
import { runToEnd } from '../../../lib/in-turns.ts'
import { portCount, portWarnings } from './port-warnings.ts'

const specAt = FieldPath.of('spec')

const specOf = (containers: ContainerPort[][]): PodSpec => ({
  containers: containers.map((ports, i) => ({ name: `c${i}`, ports })) as PodSpec['containers'],
})

const port = fc.record({
  containerPort: fc.constantFrom(80, 81),
  protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
  hostPort: fc.constantFrom(0, 1, 2),
  hostIP: fc.constantFrom('', '1.1.1.1', '2.2.2.2'),
}) as fc.Arbitrary<ContainerPort>

/** Every pair, looked at one by one. */
function pairs(containers: ContainerPort[][]): string[] {
  const all = containers.flatMap((ports, i) =>
    ports.map((each, k) => ({ each, at: `spec.containers[${i}].ports[${k}]` })),
  )
  return all.flatMap(({ each, at }, i) =>
    all.slice(0, i).flatMap((other) => {
      const { each: before } = other
      if (each.containerPort !== before.containerPort || each.protocol !== before.protocol) return []
      const isSameHost = each.hostPort === before.hostPort
      const how =
        isSameHost && each.hostIP === before.hostIP
          ? 'duplicate'
          : each.hostPort === 0 || before.hostPort === 0
            ? 'overlapping'
            : isSameHost && (each.hostIP === '' || before.hostIP === '')
              ? 'dangerously ambiguous'
              : undefined
      return how === undefined ? [] : [`${at}: ${how} port definition with ${other.at}`]
    }),
  )
}

it('warns of every pair of ports that collide, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(port, { maxLength: 5 }), { minLength: 1, maxLength: 3 }), (containers) => {
      const found = runToEnd(portWarnings(specOf(containers), specAt))
      expect(found.filter((text) => text.includes('port definition with'))).toEqual(pairs(containers))
    }),
  )
})

it('goes over ports that do not collide once, however many are of one number', () => {
  const ports = Array.from({ length: 60_000 }, (_, i) => ({ containerPort: 80, protocol: 'TCP', hostPort: i + 1 }))
  const spec = specOf([ports as ContainerPort[]])
  expect(portCount(spec)).toBe(60_000)
  expect(runToEnd(portWarnings(spec, specAt))).toEqual([])
})

it('ends when very many collide', () => {
  const ports = Array.from({ length: 5000 }, () => ({ containerPort: 80, protocol: 'TCP' }))
  expect(runToEnd(portWarnings(specOf([ports as ContainerPort[]]), specAt)).length).toBe(20_000)
})

it.each<[string, ContainerPort[], string[]]>([
  [
    'an address without a port',
    [{ containerPort: 80, protocol: 'TCP', hostIP: '1.1.1.1' }],
    [
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}',
    ],
  ],
  ['one port', [{ containerPort: 80, protocol: 'TCP' }], []],
  [
    'a name twice',
    [
      { containerPort: 80, protocol: 'TCP', name: 'a' },
      { containerPort: 81, protocol: 'TCP', name: 'a' },
    ],
    [
      'spec.containers[0].ports[1]: duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
])('%s', (_, ports, expected) => {
  const spec = specOf([ports])
  expect(portCount(spec) === 0 ? [] : runToEnd(portWarnings(spec, specAt))).toEqual(expected)
})
