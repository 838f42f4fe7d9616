import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metricDefinitions } from './definitions.ts'

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly type: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

const dashboard = JSON.parse(
  readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
) as Dashboard
const definitions = new Map(metricDefinitions().map((definition) => [definition.name, definition]))
const panels = dashboard.panels.filter(({ type }) => type !== 'row')

/** Names of metrics stand before their selectors. */
const namesIn = (query: string): string[] => [...query.matchAll(/([a-z][a-z0-9_]*)\{/g)].map((found) => found[1] ?? '')

describe('the dashboard', () => {
  it.each(panels.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr)] as const))(
    '%s asks for metrics and labels that there are',
    (_, queries) => {
      expect(queries.length).toBeGreaterThan(0)
      for (const query of queries) {
        const names = namesIn(query)
        expect(names.length).toBeGreaterThan(0)
        const labels = new Set(['le', 'instance'])
        for (const name of names) {
          const histogram = definitions.get(name.replace(/_(bucket|sum|count)$/, ''))
          const definition = definitions.get(name) ?? (histogram?.type === 'histogram' ? histogram : undefined)
          expect(definition, name).toBeDefined()
          expect(definition?.deprecated, name).toBeUndefined()
          for (const label of definition?.labels ?? []) labels.add(label)
        }
        for (const [, list = ''] of query.matchAll(/by \(([^)]*)\)/g)) {
          for (const label of list.split(', ')) expect([...labels], query).toContain(label)
        }
        for (const [, label = ''] of query.matchAll(/[{,](\w+)(?:=~|!~|!=|=)"/g))
          expect([...labels], query).toContain(label)
      }
    },
  )

  it('has no two metrics of one name', () => {
    expect(definitions.size).toBe(metricDefinitions().length)
  })
})
