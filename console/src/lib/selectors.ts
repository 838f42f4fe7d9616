// Label and field selectors as users type them, checked before they are sent, so that a mistake is shown where it was made.

const qualified = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

const valuePattern = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/

/** What is wrong with a label selector, or undefined. */
export function labelSelectorError(text: string): string | undefined {
  for (const part of splitRequirements(text)) {
    const error = requirementError(part.trim())
    if (error !== undefined) return error
  }
  return undefined
}

function requirementError(part: string): string | undefined {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part)
  const equality = /^([^=!\s]+)\s*(?:==?|!=)\s*(\S*)$/.exec(part)
  const [, key = part.replace(/^!/, '')] = set ?? equality ?? []
  const values = set?.[3]?.split(',') ?? [equality?.[2] ?? '']
  return qualified.test(key.trim()) && values.every((value) => valuePattern.test(value.trim()))
    ? undefined
    : `“${part}” is no requirement: key=value, key!=value, key in (a,b), key, !key`
}

/** At commas that are not within parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const c of text) {
    if (c === ',' && depth === 0) {
      parts.push(part)
      part = ''
      continue
    }
    if (c === '(') depth += 1
    if (c === ')') depth -= 1
    part += c
  }
  return [...parts, part].filter((each) => each.trim() !== '')
}

export function fieldSelectorError(text: string): string | undefined {
  const wrong = text
    .split(',')
    .find((part) => part.trim() !== '' && !/^[\w.\-[\]/]+\s*(==?|!=)\s*\S*$/.test(part.trim()))
  return wrong === undefined ? undefined : `“${wrong}” is no requirement: field=value or field!=value`
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

/** A LabelSelector of an object, as the text of a query parameter. */
export function selectorText(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(',')})`
  })
  return [...labels, ...expressions].join(',')
}

/** Whether labels satisfy a LabelSelector; an empty one selects everything. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const has = (key: string) => Object.hasOwn(labels, key)
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has(key) && labels[key] === value)
  return (
    equal &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return has(key)
      if (operator === 'DoesNotExist') return !has(key)
      const among = has(key) && values.includes(labels[key] as string)
      return operator === 'NotIn' ? !among : among
    })
  )
}
