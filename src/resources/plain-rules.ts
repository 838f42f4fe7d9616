/** The rules that most kinds share: a status that only its subresource writes. */

import type { KubeObject } from '../api/object.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'

/** A strategy whose main endpoint cannot write `status`. `rules` adds to it; its hooks run after the plain ones. */
export function withStatus<T extends KubeObject>(
  rules: Partial<Strategy<T>>,
  emptyStatus: () => object = () => ({}),
): Strategy<T> {
  return {
    ...rules,
    prepareForCreate(draft: T, context: WriteContext) {
      Object.assign(draft, { status: emptyStatus() })
      rules.prepareForCreate?.(draft, context)
    },
    prepareForUpdate(draft: T, old: T, context: WriteContext) {
      keepField(draft, old, 'status')
      rules.prepareForUpdate?.(draft, old, context)
    },
  }
}

/** A strategy of the `status` endpoint: everything but `status` and metadata stays as it was. */
export function statusOnly<T extends KubeObject>(rules: Partial<Strategy<T>>): Strategy<T> {
  return {
    ...rules,
    prepareForUpdate(draft: T, old: T, context: WriteContext) {
      for (const key of new Set([...Object.keys(draft), ...Object.keys(old)])) {
        if (!statusFields.has(key)) keepField(draft, old, key)
      }
      rules.prepareForUpdate?.(draft, old, context)
    },
  }
}

const statusFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

/** Puts a top-level field back to what it was. */
export function keepField(draft: KubeObject, old: KubeObject, key: string): void {
  const value = old[key]
  if (value === undefined) delete draft[key]
  else draft[key] = value
}
