/**
 * The regular expressions of the server's own code run on the engine's backtracking matcher, over texts of strangers. Each
 * is run here by a small backtracking matcher that counts its steps, over texts made to fit its repetitions: for twice the
 * text the steps may be about twice as many.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { runToEnd } from '../in-turns.ts'
import { hasRune } from './char-class.ts'
import { BEGIN_TEXT, type RegexpNode } from './node.ts'
import { parseRegexp } from './syntax.ts'

const sources = path.join(import.meta.dirname, '..', '..')

interface Literal {
  readonly file: string
  readonly text: string
}

function literals(): Literal[] {
  const found: Literal[] = []
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    const text = readFileSync(path.join(sources, file), 'utf8')
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.push({ file, text: node.text })
      node.forEachChild(visit)
    }
    if (/[^*/]\/[^*/]/.test(text)) visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  }
  return found
}

/** In the syntax that the server's own parser reads; undefined for what that has not (looking around, going back). */
function parsed(literal: string): RegexpNode | undefined {
  const source = literal
    .slice(1, literal.lastIndexOf('/'))
    .replaceAll('\\/', '/')
    .replace(/\\u\{?([0-9a-fA-F]{4,6})\}?/g, '\\x{$1}')
    .replace(/\(\?<\w+>/g, '(')
  try {
    return runToEnd(parseRegexp(source))
  } catch {
    return undefined
  }
}

const isSticky = (literal: string): boolean => literal.slice(literal.lastIndexOf('/')).includes('y')

/** Steps after which a match counts as without end. */
const maxSteps = 2_000_000
class Endless extends Error {}

function stepsOf(root: RegexpNode, text: string, isSticky: boolean): number {
  let steps = 0
  const match = (node: RegexpNode, at: number, next: (at: number) => boolean): boolean => {
    if (++steps > maxSteps) throw new Endless()
    switch (node.op) {
      case 'empty':
        return next(at)
      case 'assert':
        return node.mask === BEGIN_TEXT ? at === 0 && next(at) : at === text.length && next(at)
      case 'rune':
        return text.codePointAt(at) === node.rune && next(at + 1)
      case 'class':
        return at < text.length && hasRune(node.ranges, text.charCodeAt(at)) && next(at + 1)
      case 'group':
        return match(node.sub, at, next)
      case 'alternate':
        return node.subs.some((sub) => match(sub, at, next))
      case 'concat':
        return sequence(node.subs, 0, at, next)
      case 'repeat':
        return repeat(node, 0, at, next)
    }
  }
  const sequence = (subs: readonly RegexpNode[], i: number, at: number, next: (at: number) => boolean): boolean => {
    const sub = subs[i]
    return sub === undefined ? next(at) : match(sub, at, (then) => sequence(subs, i + 1, then, next))
  }
  const repeat = (
    node: RegexpNode & { op: 'repeat' },
    count: number,
    at: number,
    next: (at: number) => boolean,
  ): boolean => {
    const more = (): boolean =>
      (node.max < 0 || count < node.max) &&
      match(node.sub, at, (then) => (then > at || count < node.min) && repeat(node, count + 1, then, next))
    if (count < node.min) return more()
    return node.lazy ? next(at) || more() : more() || next(at)
  }
  try {
    // A sticky pattern is tried where the last match ended, and nowhere else.
    for (let start = 0; start <= (isSticky ? 0 : text.length); start++) {
      steps++
      if (match(root, start, () => true)) break
    }
  } catch (error) {
    if (error instanceof Endless) return Number.POSITIVE_INFINITY
    throw error
  }
  return steps
}

const least = (node: RegexpNode): string => {
  switch (node.op) {
    case 'rune':
      return String.fromCodePoint(node.rune)
    case 'class':
      return node.ranges.length === 0 ? '' : String.fromCodePoint(Math.max(node.ranges[0] ?? 0, 0x20))
    case 'group':
      return least(node.sub)
    case 'alternate':
      return least(node.subs[0] as RegexpNode)
    case 'concat':
      return node.subs.map(least).join('')
    case 'repeat':
      return least(node.sub).repeat(node.min)
    default:
      return ''
  }
}

interface Pump {
  readonly before: string
  readonly pumped: string
}

/** A text for each repetition without end: what must come before it, and what it repeats. */
function pumps(node: RegexpNode, before: string): Pump[] {
  switch (node.op) {
    case 'group':
      return pumps(node.sub, before)
    case 'alternate':
      return node.subs.flatMap((sub) => pumps(sub, before))
    case 'concat':
      return node.subs.flatMap((sub, i) => pumps(sub, before + node.subs.slice(0, i).map(least).join('')))
    case 'repeat': {
      const isLong = node.max < 0 || node.max > 100
      const own = isLong ? units(node.sub).map((pumped) => ({ before, pumped })) : []
      return [...own, ...pumps(node.sub, before)]
    }
    default:
      return []
  }
}

/** What one round of a repetition may be: its shortest, and each single character in it. */
function units(node: RegexpNode): string[] {
  const found = new Set([least(node)])
  const visit = (part: RegexpNode): void => {
    if (part.op === 'rune' || part.op === 'class') found.add(least(part))
    if (part.op === 'class') for (const char of ' a0.-') if (hasRune(part.ranges, char.charCodeAt(0))) found.add(char)
    if ('sub' in part) visit(part.sub)
    if ('subs' in part) for (const sub of part.subs) visit(sub)
  }
  visit(node)
  return [...found].filter((text) => text !== '')
}

/** Small enough that the matcher, which recurses for every character, never meets the end of the stack; beyond the bounds of 63 that names have. */
const size = 90
/** Twice the text takes twice the steps; what tries every beginning takes four times as many. */
const maxGrowth = 2.6

function isSuperLinear(root: RegexpNode, isSticky = false): boolean {
  return pumps(root, '').some(({ before, pumped }) =>
    ['', '\u0001'].some((end) => {
      const steps = (rounds: number): number => stepsOf(root, before + pumped.repeat(rounds) + end, isSticky)
      const once = steps(size)
      return once === Number.POSITIVE_INFINITY || steps(size * 2) > maxGrowth * once + 50
    }),
  )
}

/** Over texts that are short by a bound of their own, or not of strangers: numbers that were formatted, files of operators. */
const allowed = new Set([
  'auth/authentication/bootstrap-token.ts: /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/',
  'api/duration.ts: /0+$/',
  'api/time.ts: /0+$/',
  'cel/time.ts: /0+$/',
  'codec/cbor-reader.ts: /0+$/',
  'pipeline/fairness/dump.ts: /\\.?0*Z$/',
  'conformance/scenario.ts: /-+$/',
  'catalog/older/older-types.ts: /^(\\w+)([>+]?)(\\w*)\\t/',
  'outbound/kubeconfig.ts: /^[A-Za-z0-9+/\\s]*={0,2}\\s*$/',
])

it('the matcher tells what is linear', () => {
  const isSlow = (source: string): boolean => isSuperLinear(parsed(`/${source}/`) as RegexpNode)
  expect(['(a+)+$', '\\s+$', '^(a|aa)*$', 'a*a*b', '^\\s*-?\\s*$'].map(isSlow)).toEqual([true, true, true, true, true])
  expect(['^a+$', '[<>]', '^[a-z]+(-[a-z]+)*$', '^\\d+\\.\\d+$'].map(isSlow)).toEqual([false, false, false, false])
})

it('no regular expression of the server is more than linear in its text', () => {
  const found = literals().flatMap(({ file, text }) => {
    const root = parsed(text)
    const what = `${file}: ${text}`
    return root !== undefined && !allowed.has(what) && isSuperLinear(root, isSticky(text)) ? [what] : []
  })
  expect(found).toEqual([])
})
