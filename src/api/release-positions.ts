/** Where a later release makes its schemes: messages name a scheme by its position in the sources. */
import { schemePositions } from './golang/positions.ts'
import { factText } from './release-facts.ts'

const defaults: ReadonlyMap<string, string> = new Map(Object.entries(schemePositions))
const defaultFacts = [...defaults].map(([name, position]) => `${name} ${position}\n`).join('')

const byRelease = new Map<number, ReadonlyMap<string, string>>()

/** The positions of the default release, each with that of another. */
function positionsAt(release: number): ReadonlyMap<string, string> {
  const known = byRelease.get(release)
  if (known !== undefined) return known
  const moved = new Map<string, string>()
  for (const line of factText(release, 'positions.txt', defaultFacts).trim().split('\n')) {
    const [name = '', position = ''] = line.split(' ')
    const before = defaults.get(name)
    if (before !== undefined && before !== position) moved.set(before, position)
  }
  byRelease.set(release, moved)
  return moved
}

const inScheme = / in scheme "([^"]*)"/

/** A message that names a scheme, as the release names it. */
export function schemeMessageAt(message: string, release: number): string {
  const position = inScheme.exec(message)?.[1]
  const moved = position === undefined ? undefined : positionsAt(release).get(position)
  return moved === undefined || position === undefined ? message : message.replace(position, moved)
}
