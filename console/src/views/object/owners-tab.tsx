// Every field with its managers: who set it, how, when, through which subresource; and what a change by somebody would meet.
import { useMemo } from 'preact/hooks'
import type { Json, ManagedFields } from '../../api/objects.ts'
import { type Ownership, ownersAt, ownershipOf } from '../../lib/managed-fields.ts'
import { param } from '../../lib/router.ts'
import { ageOf, dateTime } from '../../lib/time.ts'
import { type Path, pointer, type YamlLine, yamlLines } from '../../lib/yaml-lines.ts'
import { Badge, Button, Empty, Facts } from '../../ui/parts.tsx'
import { VirtualLines } from '../../ui/virtual-lines.tsx'
import type { ObjectProps } from './object.tsx'
import { WhatIf } from './what-if.tsx'
import './owners.css'

const colours = 8
const lineHeight = 20

interface OwnedLine extends YamlLine {
  readonly owners: readonly number[]
}

export function OwnersTab({ kind, object }: ObjectProps) {
  const ownership = useMemo(() => ownershipOf(object), [object])
  const lines = useMemo(() => ownedLines(object, ownership), [object, ownership])
  const [onlyText, setOnlyText] = param('manager')
  const [field, setField] = param('field')
  const only = ownership.entries.findIndex((entry) => entryText(entry) === onlyText)
  const chosenAt = field === '' ? -1 : lines.findIndex(({ path }) => pointer(path) === field)
  const chosen = lines[chosenAt]?.path
  const setOnly = (index: number) => {
    const entry = ownership.entries[index]
    setOnlyText(entry === undefined || index === only ? '' : entryText(entry))
  }
  if (ownership.entries.length === 0) return <Empty>Nobody is recorded as an owner of its fields.</Empty>
  const colourOf = (index: number) =>
    `c${managerNames(ownership).indexOf(ownership.entries[index]?.manager ?? '') % colours}`
  return (
    <div class="owners">
      <div class="owners-lines panel">
        <VirtualLines
          label="Fields and their owners"
          count={lines.length}
          lineHeight={lineHeight}
          reveal={chosenAt}
          line={(index) => (
            <Line
              key={index}
              line={lines[index] as OwnedLine}
              before={lines[index - 1]}
              ownership={ownership}
              colourOf={colourOf}
              dim={only >= 0 && !(lines[index] as OwnedLine).owners.includes(only)}
              selected={chosen !== undefined && pointer(chosen) === pointer((lines[index] as OwnedLine).path)}
              onChoose={(path) => setField(pointer(path))}
            />
          )}
        />
      </div>
      <aside class="owners-side stack" aria-label="Owners">
        <Legend {...{ ownership, lines, only, setOnly, colourOf }} />
        {chosen === undefined ? (
          <p class="quiet">Choose a field to see its owners, and what a change of it would meet.</p>
        ) : (
          <>
            <Field path={chosen} ownership={ownership} colourOf={colourOf} />
            <WhatIf key={pointer(chosen)} kind={kind} object={object} path={chosen} />
          </>
        )}
      </aside>
    </div>
  )
}

/** In the order of their first entry: a manager keeps its colour however it wrote. */
const managerNames = ({ entries }: Ownership): string[] => [...new Set(entries.map(({ manager = '' }) => manager))]

function ownedLines(object: Json, ownership: Ownership): OwnedLine[] {
  const { managedFields, ...metadata } = object.metadata
  const { apiVersion, kind, ...rest } = object
  const shown = { apiVersion, kind, ...rest, metadata }
  return yamlLines(shown).map((line) => ({ ...line, owners: ownersAt(ownership, line.path) }))
}

interface LineProps {
  readonly line: OwnedLine
  readonly before: OwnedLine | undefined
  readonly ownership: Ownership
  readonly colourOf: (index: number) => string
  readonly dim: boolean
  readonly selected: boolean
  readonly onChoose: (path: Path) => void
}

function Line({ line, before, ownership, colourOf, dim, selected, onChoose }: LineProps) {
  const names = line.owners.map((index) => ownership.entries[index]?.manager ?? '')
  const repeated = before !== undefined && before.owners.join() === line.owners.join()
  const label = names.length === 0 ? '' : repeated ? '' : [...new Set(names)].join(', ')
  return (
    <div
      class={`owned-line ${dim ? 'dim' : ''}`}
      role="option"
      aria-selected={selected}
      tabIndex={names.length > 0 ? 0 : -1}
      onClick={() => onChoose(line.path)}
      onKeyDown={(event) => event.key === 'Enter' && onChoose(line.path)}
    >
      <span class="bars" aria-hidden="true">
        {line.owners.map((index) => (
          <span key={index} class={`bar ${colourOf(index)}`} />
        ))}
      </span>
      <span
        class={`who ellipsis ${line.owners[0] === undefined ? '' : colourOf(line.owners[0])}`}
        title={names.join(', ')}
      >
        {label}
      </span>
      <span class="what">
        {' '.repeat(Math.max(0, line.indent - (line.dash ? 2 : 0)))}
        {line.dash && '- '}
        {line.key !== undefined && <span class="tok-key">{line.key}:</span>}
        {line.key !== undefined && line.text !== '' && ' '}
        {line.text}
      </span>
    </div>
  )
}

interface LegendProps {
  readonly ownership: Ownership
  readonly lines: readonly OwnedLine[]
  readonly only: number
  readonly setOnly: (index: number) => void
  readonly colourOf: (index: number) => string
}

const linesText = (lines: number): string => (lines === 1 ? '1 line' : `${lines} lines`)

function Legend({ ownership, lines, only, setOnly, colourOf }: LegendProps) {
  return (
    <ul class="legend">
      {ownership.entries.map((entry, index) => (
        <li key={index}>
          <Button pressed={only === index} onClick={() => setOnly(index)}>
            <span class={`swatch ${colourOf(index)}`} aria-hidden="true" />
            <span class="ellipsis">{entry.manager ?? 'unknown'}</span>
            <span class="quiet ellipsis">
              {how(entry)}, {linesText(count(lines, index))}
            </span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

const count = (lines: readonly OwnedLine[], index: number): number =>
  lines.filter(({ owners }) => owners.includes(index)).length

const how = ({ operation, subresource }: ManagedFields): string =>
  `${operation}${subresource ? ` of ${subresource}` : ''}`

const entryText = (entry: ManagedFields): string => `${entry.manager ?? ''} ${how(entry)}`

interface FieldProps {
  readonly path: Path
  readonly ownership: Ownership
  readonly colourOf: (index: number) => string
}

function Field({ path, ownership, colourOf }: FieldProps) {
  const owners = ownersAt(ownership, path)
  return (
    <section class="panel">
      <header>
        <h2 class="mono wrap">{pathText(path)}</h2>
      </header>
      <div class="body stack">
        {owners.length === 0 && <p class="quiet">No manager owns it: the server set it, or it holds other fields.</p>}
        {owners.map((index) => {
          const entry = ownership.entries[index] as ManagedFields
          return (
            <div key={index} class="stack tight">
              <div class="row">
                <span class={`swatch ${colourOf(index)}`} aria-hidden="true" />
                <strong>{entry.manager}</strong>
                {owners.length > 1 && <Badge>co-owner</Badge>}
              </div>
              <Facts
                items={[
                  ['How', how(entry)],
                  ['When', entry.time === undefined ? 'unknown' : `${dateTime(entry.time)} (${ageOf(entry.time)} ago)`],
                  ['Version', entry.apiVersion],
                ]}
              />
            </div>
          )
        })}
      </div>
    </section>
  )
}

const pathText = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : /[.[\]]/.test(step) ? `["${step}"]` : `.${step}`))
    .join('')
