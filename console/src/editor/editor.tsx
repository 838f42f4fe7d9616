// CodeMirror as the console uses it: YAML with folding, search, help from a schema, and marks where something is wrong.
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { KindSchema } from '../api/openapi.ts'
import type { Path } from '../lib/yaml-lines.ts'
import { lineOf, outline } from '../lib/yaml-outline.ts'
import { schemaCompletion, schemaHover } from './schema-help.ts'
import './editor.css'

/** Classes, which the console's own style sheet colours in both themes. */
const highlighter = tagHighlighter([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'tok-key' },
  { tag: tags.string, class: 'tok-string' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], class: 'tok-number' },
  { tag: tags.comment, class: 'tok-comment' },
])

/** A note on a field of the text. */
export interface Mark {
  readonly path: Path
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  /** A line from 0, where the text itself cannot be read. */
  readonly line?: number
}

interface EditorProps {
  readonly label: string
  readonly text: string
  readonly readOnly?: boolean
  readonly schema?: KindSchema | undefined
  readonly marks?: readonly Mark[]
  readonly onChange?: ((text: string) => void) | undefined
  readonly onSave?: (() => void) | undefined
}

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

export function Editor({ label, text, readOnly = false, schema, marks, onChange, onSave }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const help = useRef(new Compartment())
  const calls = useRef({ onChange, onSave })
  calls.current = { onChange, onSave }
  useLayoutEffect(() => {
    const state = EditorState.create({
      doc: text,
      extensions: extensions({ label, readOnly, help: help.current, calls }),
    })
    view.current = new EditorView({ state, parent: host.current as HTMLElement })
    return () => view.current?.destroy()
  }, [readOnly])
  useEffect(() => {
    // What is being edited is the editor's own: a text that comes back late would undo the keys since.
    if (!readOnly) return
    const editor = view.current as EditorView
    const now = editor.state.doc.toString()
    if (now !== text) editor.dispatch({ changes: { from: 0, to: now.length, insert: text } })
  }, [text])
  useEffect(() => {
    const extension =
      schema === undefined ? [] : [schemaHover(schema), autocompletion({ override: [schemaCompletion(schema)] })]
    view.current?.dispatch({ effects: help.current.reconfigure(extension) })
  }, [schema, readOnly])
  useEffect(() => {
    const editor = view.current as EditorView
    editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, marks ?? [])))
  }, [marks])
  return <div class="editor" ref={host} />
}

interface Setup {
  readonly label: string
  readonly readOnly: boolean
  readonly help: Compartment
  readonly calls: { readonly current: Pick<EditorProps, 'onChange' | 'onSave'> }
}

function extensions({ label, readOnly, help, calls }: Setup): Extension[] {
  const save = () => {
    calls.current.onSave?.()
    return calls.current.onSave !== undefined
  }
  return [
    EditorView.cspNonce.of(nonce()),
    lineNumbers(),
    foldGutter({ openText: '⌄', closedText: '›' }),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    readOnly ? [] : [highlightActiveLine(), lintGutter()],
    keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]),
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap]),
    readOnly ? [] : keymap.of([indentWithTab]),
    yaml(),
    syntaxHighlighting(highlighter),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    help.of([]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) calls.current.onChange?.(update.state.doc.toString())
    }),
  ]
}

function diagnostics(state: EditorState, marks: readonly Mark[]): Diagnostic[] {
  const lines = outline(state.doc.toString())
  return marks.map(({ path, severity, message, line }) => {
    const place = line === undefined ? lineOf(lines, path) : undefined
    const row = state.doc.line(Math.min(state.doc.lines, (line ?? place?.line ?? 0) + 1))
    const from = place === undefined ? row.from : Math.min(row.to, row.from + place.from)
    return { from, to: Math.max(from, row.to), severity, message }
  })
}
