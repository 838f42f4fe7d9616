import { describe, expect, it } from 'vitest'
import { usageExpression } from './usage-expression.ts'

const created = Date.parse('2026-01-01T00:00:00Z')
const subject = {
  pod: {
    metadata: {
      name: 'web',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: { 'kwok.x-k8s.io/usage-cpu': '250m' },
    },
  },
  node: { metadata: { name: 'n1', creationTimestamp: '2025-12-31T23:00:00Z' } },
  container: { name: 'c' },
  startedAt: created + 30_000,
  now: created + 90_000,
  random: () => 0.5,
}

describe('expressions of usages', () => {
  const cases: readonly [string, number][] = [
    ['Quantity("1m")', 0.001],
    ['Quantity("1Mi") * (pod.SinceSecond() / 60.0)', 1.5 * 1024 * 1024],
    ['pod.SinceSecond()', 90],
    ['SinceSecond(pod)', 90],
    ['node.SinceSecond()', 3690],
    ['container.SinceSecond()', 60],
    ['Rand() * 10.0', 5],
    ['UnixSecond(Now())', created / 1000 + 90],
    [
      `"kwok.x-k8s.io/usage-cpu" in pod.metadata.annotations
        ? Quantity(pod.metadata.annotations["kwok.x-k8s.io/usage-cpu"]) : Quantity("1m")`,
      0.25,
    ],
    ['pod.SinceSecond() > 60.0 ? 2 : 1', 2],
    ['-1.0', 0],
  ]
  for (const [source, value] of cases) {
    it(source, () => expect(usageExpression(source)(subject)).toBeCloseTo(value, 6))
  }

  const broken: readonly string[] = [
    'Quantity(',
    'explode()',
    'Quantity("many")',
    '"text"',
    'pod.spec.nodeName',
    '1.0 / 0.0',
  ]
  for (const source of broken) {
    it(`cannot be reported: ${source}`, () => expect(() => usageExpression(source)(subject)).toThrow(/./))
  }
})
