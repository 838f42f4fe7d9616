// The few parts that every view is made of.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain'

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: (() => void) | undefined
  readonly look?: 'primary' | 'danger' | 'plain'
  readonly disabled?: boolean
  readonly title?: string
  readonly label?: string
  readonly pressed?: boolean
  readonly type?: 'button' | 'submit'
}

export function Button({ children, onClick, look, disabled = false, title, label, pressed, type }: ButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      class={`button ${look ?? ''}`}
      disabled={disabled}
      title={title}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  )
}

interface InputProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hideLabel?: boolean
  readonly placeholder?: string
  readonly error?: string | undefined
  readonly list?: readonly string[]
  readonly wide?: boolean
  readonly id?: string
  readonly type?: 'text' | 'number'
  readonly onEnter?: () => void
  /** Has the focus when it comes, its value selected. */
  readonly focus?: boolean
}

/** A text field with its label, suggestions and what is wrong with it. */
export function Input(props: InputProps) {
  const { label, value, onInput, hideLabel = false, placeholder, error, list, wide, id, type = 'text', onEnter } = props
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!props.focus) return
    element.current?.focus()
    element.current?.select()
  }, [])
  const suggestions = list === undefined ? undefined : `list-${(id ?? label).replace(/\W+/g, '-')}`
  return (
    <label class="field">
      <span class={hideLabel ? 'visually-hidden' : ''}>{label}</span>
      <input
        ref={element}
        id={id}
        type={type}
        class={`input ${wide ? 'wide-input' : ''}`}
        value={value}
        placeholder={placeholder}
        aria-invalid={error !== undefined}
        title={error}
        list={suggestions}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.()
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {suggestions !== undefined && (
        <datalist id={suggestions}>
          {list?.slice(0, 500).map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  )
}

interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly rows?: number
  readonly hideLabel?: boolean
}

export function TextArea({ label, value, onInput, rows = 6, hideLabel = false }: TextAreaProps) {
  return (
    <label class="field">
      <span class={hideLabel ? 'visually-hidden' : ''}>{label}</span>
      <textarea
        class="input"
        rows={rows}
        value={value}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (string | readonly [string, string])[]
  readonly onChange: (value: string) => void
  readonly hideLabel?: boolean
}

export function Select({ label, value, options, onChange, hideLabel = false }: SelectProps) {
  return (
    <label class="field">
      <span class={hideLabel ? 'visually-hidden' : ''}>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const [id, text] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={id} value={id}>
              {text}
            </option>
          )
        })}
      </select>
    </label>
  )
}

export function Badge({ tone = 'plain', dot = false, children, title }: BadgeProps) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {dot && <span class="dot" aria-hidden="true" />}
      {children}
    </span>
  )
}

interface BadgeProps {
  readonly tone?: Tone
  readonly dot?: boolean
  readonly children: ComponentChildren
  readonly title?: string | undefined
}

export function Notice({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

interface PanelProps {
  readonly title: ComponentChildren
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
  readonly flush?: boolean
}

/** A titled part of a page; `flush`: its contents reach to its edges. */
export function Panel({ title, children, actions, flush = false }: PanelProps) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {flush ? children : <div class="body">{children}</div>}
    </section>
  )
}

export interface Tab {
  readonly id: string
  readonly title: string
  readonly href: string
}

export function Tabs({
  tabs,
  current,
  label,
}: {
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly label: string
}) {
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the row of tabs scrolls: the current one must be in sight.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ id, title, href }) => (
        <a key={id} href={href} aria-current={id === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}

export function Facts({ items }: { readonly items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => (
        <>
          <dt key={`${name} name`}>{name}</dt>
          <dd key={name}>{value}</dd>
        </>
      ))}
    </dl>
  )
}

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly footer?: ComponentChildren
  readonly wide?: boolean
  readonly bare?: boolean
}

/** Modal: the browser keeps the focus in it, and Escape closes it. */
export function Dialog({ title, onClose, children, footer, wide = false, bare = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  const outside = (event: MouseEvent) => {
    if (event.target === event.currentTarget) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog ref={element} class={wide ? 'wide' : ''} aria-label={title} onClose={onClose} onClick={outside}>
      {!bare && (
        <header>
          <h2>{title}</h2>
          <Button look="plain" label="Close" onClick={onClose}>
            ✕
          </Button>
        </header>
      )}
      <div class={bare ? '' : 'body'}>{children}</div>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  )
}

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>
