// Two texts as one, with what was taken away and what was added.
import { useMemo } from 'preact/hooks'
import type { Json } from '../api/objects.ts'
import { type DiffLine, diffLines, hunksOf } from '../lib/diff.ts'
import { lineText, yamlLines } from '../lib/yaml-lines.ts'
import './diff-view.css'

interface DiffProps {
  readonly before: Json
  readonly after: Json
}

/** What no version differs in for its own sake. */
function withoutNoise(object: Json): Json {
  if (object?.metadata === undefined) return object
  const { managedFields, resourceVersion, generation, ...metadata } = object.metadata
  const { apiVersion, kind, ...rest } = object
  return { apiVersion, kind, ...rest, metadata }
}

const textLines = (object: Json): string[] =>
  object === undefined ? [] : yamlLines(withoutNoise(object)).map(lineText)

export function DiffView({ before, after }: DiffProps) {
  const hunks = useMemo(() => hunksOf(diffLines(textLines(before), textLines(after))), [before, after])
  if (hunks.length === 0) return <p class="quiet">No field differs.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
    <div class="diff" role="group" aria-label="Difference" tabIndex={0}>
      {hunks.map((hunk, index) => (
        <div key={index}>
          {hunk.skipped > 0 && <div class="skipped">{hunk.skipped} equal lines</div>}
          {hunk.lines.map((line) => (
            <Line key={`${line.left} ${line.right}`} line={line} />
          ))}
        </div>
      ))}
    </div>
  )
}

function Line({ line }: { readonly line: DiffLine }) {
  const look = line.sign === '+' ? 'added' : line.sign === '-' ? 'removed' : ''
  return (
    <div class={`diff-line ${look}`}>
      <span class="sign">{line.sign}</span>
      <span>{line.text}</span>
    </div>
  )
}
