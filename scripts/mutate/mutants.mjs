// The mutants of a source file, and the file with all of them in it: each is a place that asks `$mutant.is(id)` whether it is the one that is on
// (mutant schemata), so that the sources are loaded once for all mutants. TypeScript stays TypeScript, and lines stay where they are.
import ts from 'typescript'

const kinds = ts.SyntaxKind

/** Both operands are values: a call of `$mutant` decides. */
const compared = new Map([
  [kinds.LessThanToken, ['<', '<=', 'lt']],
  [kinds.LessThanEqualsToken, ['<=', '<', 'le']],
  [kinds.GreaterThanToken, ['>', '>=', 'gt']],
  [kinds.GreaterThanEqualsToken, ['>=', '>', 'ge']],
  [kinds.PlusToken, ['+', '-', 'add']],
])
const equated = new Map([
  [kinds.EqualsEqualsEqualsToken, ['===', '!==']],
  [kinds.ExclamationEqualsEqualsToken, ['!==', '===']],
])
/** The second operand may not be evaluated: what ends the evaluation, and what ends it in the mutant. */
const lazy = new Map([
  [kinds.AmpersandAmpersandToken, ['&&', '||', '!$value', '$value']],
  [kinds.BarBarToken, ['||', '&&', '$value', '!$value']],
  [kinds.QuestionQuestionToken, ['??', '&&', '$value != null', '!$value']],
])

const isCall = (node) =>
  ts.isCallExpression(node)
    ? node.expression.kind !== kinds.SuperKeyword
    : (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) && isCall(node.expression)

const leaves = (node) =>
  ts.isThrowStatement(node) ||
  ts.isReturnStatement(node) ||
  (ts.isBlock(node) && node.statements.length === 1 && leaves(node.statements[0]))

/** A statement that is a call and nothing else, that throws, or an `if` that only returns or throws. */
const canGo = (node) =>
  (ts.isExpressionStatement(node) && isCall(node.expression)) ||
  ts.isThrowStatement(node) ||
  (ts.isIfStatement(node) && node.elseStatement === undefined && leaves(node.thenStatement))

const isVerbatim = (node) =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isEnumDeclaration(node)

/** `{ text, mutants }`, the ids of which begin with `first`. */
export function withMutants(file, source, first) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const lines = source.split('\n')
  const mutants = []

  const mutant = (start, end, text) => {
    const from = tree.getLineAndCharacterOfPosition(start)
    const to = tree.getLineAndCharacterOfPosition(end)
    const before = lines[from.line].trim()
    const rest = from.line === to.line ? lines[to.line].slice(to.character) : ''
    const after = (lines[from.line].slice(0, from.character) + text + rest).trim()
    mutants.push({ id: first + mutants.length, file, line: from.line + 1, before, after })
    return first + mutants.length - 1
  }

  /** The text of a node's children, and what is between them. */
  const inside = (node) => {
    let at = node.getStart(tree)
    let text = ''
    ts.forEachChild(node, (child) => {
      const start = child.getStart(tree)
      if (start < at) return
      text += source.slice(at, start) + changed(child)
      at = child.getEnd()
    })
    return text + source.slice(at, node.getEnd())
  }

  const binary = (node) => {
    const { left, right, operatorToken } = node
    const at = operatorToken.getStart(tree)
    const mutate = (to) => mutant(at, operatorToken.getEnd(), to)
    const gap = source.slice(left.getEnd(), at)
    const rest = source.slice(operatorToken.getEnd(), right.getStart(tree))
    const a = () => changed(left) + gap
    const b = () => rest + changed(right)
    const equality = equated.get(operatorToken.kind)
    if (equality !== undefined) {
      const id = mutate(equality[1])
      return `((${a()}${equality[0]}${b()}) !== $mutant.is(${id}))`
    }
    const comparison = compared.get(operatorToken.kind)
    if (comparison !== undefined) {
      const id = mutate(comparison[1])
      return `$mutant.${comparison[2]}(${id}, ${a()},${b()})`
    }
    const short = lazy.get(operatorToken.kind)
    if (short === undefined) return inside(node)
    const id = mutate(short[1])
    const isSame = operatorToken.kind === kinds.QuestionQuestionToken ? '$value != null && !$value || ' : ''
    return `((($value = (${a()})), ${isSame}($mutant.is(${id}) ? ${short[3]} : ${short[2]})) ? $value : (${b()}))`
  }

  const expression = (node) => {
    if (ts.isBinaryExpression(node)) return binary(node)
    if (node.kind !== kinds.TrueKeyword && node.kind !== kinds.FalseKeyword) return inside(node)
    const text = node.getText(tree)
    const id = mutant(node.getStart(tree), node.getEnd(), text === 'true' ? 'false' : 'true')
    return `(${text} !== $mutant.is(${id}))`
  }

  const changed = (node) => {
    if (isVerbatim(node)) return node.getText(tree)
    if (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression)) return node.getText(tree)
    const id = canGo(node) ? mutant(node.getStart(tree), node.getEnd(), '') : undefined
    const text = expression(node)
    if (id !== undefined) return `{ if ($mutant.is(${id})) {} else { ${text} } }`
    return ts.isExpressionStatement(node) ? `{ ${text} }` : text
  }

  const text = inside(tree)
  return {
    text: `const $mutant = globalThis.$mutant; let $value; ${source.slice(0, tree.getStart(tree))}${text}`,
    mutants,
  }
}
