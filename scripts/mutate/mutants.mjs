// Finds every change that can be made to a source file, and writes the file with all of them in
// place behind a switch: which one is active is decided while the tests run, so that one load of
// the code serves all of them.
import ts from 'typescript'

/** Each operator, what stands there instead, and the switch that knows both. */
const operators = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, { to: '||', name: '$and' }],
  [ts.SyntaxKind.BarBarToken, { to: '&&', name: '$or' }],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, { to: '!==', name: '$same' }],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, { to: '===', name: '$other' }],
  [ts.SyntaxKind.LessThanToken, { to: '<=', name: '$less' }],
  [ts.SyntaxKind.LessThanEqualsToken, { to: '<', name: '$most' }],
  [ts.SyntaxKind.GreaterThanToken, { to: '>=', name: '$more' }],
  [ts.SyntaxKind.GreaterThanEqualsToken, { to: '>', name: '$least' }],
  [ts.SyntaxKind.PlusToken, { to: '-', name: '$plus' }],
  [ts.SyntaxKind.MinusToken, { to: '+', name: '$minus' }],
  [ts.SyntaxKind.AsteriskToken, { to: '/', name: '$times' }],
])
/** Methods of Decimal and of lists whose neighbour is the classic mistake. */
const methods = {
  lt: 'lte',
  lte: 'lt',
  gt: 'gte',
  gte: 'gt',
  plus: 'minus',
  minus: 'plus',
  isPositive: 'isNegative',
  isNegative: 'isPositive',
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
}
const words = { floor: 'ceil', ceil: 'floor', buy: 'sell', isolated: 'cross', sl: 'tp' }

/** The mutants of a file, numbered from `first`, and its text with all of them behind switches. */
export function mutantsOf(file, text, first) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const before = []
  const after = []

  const add = (node, to, what) => {
    const start = node.getStart(source)
    const line = source.getLineAndCharacterOfPosition(start).line + 1
    const id = first + found.length
    found.push({ id, file, line, what, from: text.slice(start, node.getEnd()), to })
    return id
  }
  /** What is put before a place, and in place of the text up to `end`. */
  const open = (at, put, end = at) => before.push({ at, end, put, order: before.length })
  const close = (at, put) => after.push({ at, end: at, put, order: after.length })
  const literal = (node, to) => {
    const id = add(node, to, 'constant')
    open(node.getStart(source), `$value(${id}, ${to}, ${node.getText(source)})`, node.getEnd())
  }
  const condition = (node) => {
    const ids = [add(node, 'true', 'condition'), add(node, 'false', 'condition')]
    open(node.getStart(source), `$if(${ids.join(', ')}) ?? (`)
    return () => close(node.getEnd(), ')')
  }
  const children = (node) => ts.forEachChild(node, visit)

  const binary = (node) => {
    const { to, name } = operators.get(node.operatorToken.kind)
    const id = add(node.operatorToken, to, 'operator')
    const isLazy = name === '$and' || name === '$or'
    open(node.getStart(source), `${name}(${id}, `)
    visit(node.left)
    open(
      node.operatorToken.getStart(source),
      isLazy ? ', () => (' : ', ',
      node.operatorToken.getEnd(),
    )
    visit(node.right)
    close(node.getEnd(), isLazy ? '))' : ')')
  }
  const method = (node) => {
    const name = node.name.text
    const id = add(node.name, methods[name], 'method')
    visit(node.expression)
    const dot = node.questionDotToken === undefined ? '' : '?.'
    const put = `${dot}[$value(${id}, '${methods[name]}', '${name}')]`
    open(node.expression.getEnd(), put, node.name.getEnd())
  }

  function visit(node) {
    if (
      ts.isTypeNode(node) ||
      ts.isImportDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node)
    )
      return
    if (ts.isBinaryExpression(node) && operators.has(node.operatorToken.kind) && !isText(node)) {
      binary(node)
    } else if (isMethod(node)) {
      method(node)
    } else if (ts.isConditionalExpression(node) && !isText(node.whenTrue)) {
      const done = condition(node.condition)
      visit(node.condition)
      done()
      visit(node.whenTrue)
      visit(node.whenFalse)
    } else if (ts.isIfStatement(node)) {
      const done = condition(node.expression)
      visit(node.expression)
      done()
      visit(node.thenStatement)
      if (node.elseStatement !== undefined) visit(node.elseStatement)
    } else if (isNegation(node)) {
      const id = add(node, node.operand.getText(source), 'negation')
      open(node.getStart(source), `$not(${id}, `, node.operand.getStart(source))
      visit(node.operand)
      close(node.getEnd(), ')')
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
      literal(node, 'false')
    } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
      literal(node, 'true')
    } else if (isKey(node)) {
      return
    } else if (ts.isNumericLiteral(node)) {
      literal(node, `${Number(node.text.replaceAll('_', '')) + 1}`)
    } else if (ts.isStringLiteral(node) && /^\d+(\.\d+)?$/.test(node.text)) {
      literal(node, `'${Number(node.text) * 2 || 1}'`)
    } else if (ts.isStringLiteral(node) && Object.hasOwn(words, node.text)) {
      literal(node, `'${words[node.text]}'`)
    } else {
      children(node)
    }
  }
  visit(source)
  return { mutants: found, text: edited(text, before, after) }
}

function isMethod(node) {
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isCallExpression(node.parent) &&
    node.parent.expression === node &&
    Object.hasOwn(methods, node.name.text)
  )
}

function isNegation(node) {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
}

/** The name of a property is no value. */
function isKey(node) {
  return ts.isPropertyAssignment(node.parent ?? node) && node.parent.name === node
}

/** Sentences for people are not what is tested here. */
function isText(node) {
  let text = false
  const look = (each) => {
    if (ts.isTemplateExpression(each) || ts.isNoSubstitutionTemplateLiteral(each)) text = true
    if (ts.isStringLiteral(each) && each.text.includes(' ')) text = true
    ts.forEachChild(each, look)
  }
  look(node)
  return text
}

/** At one place what ends comes before what begins; inner ends first, outer beginnings first. */
function edited(text, before, after) {
  const edits = [
    ...after.map((each) => ({ ...each, rank: 0 })),
    ...before.map((each) => ({ ...each, rank: 1 })),
  ].sort((left, right) => left.at - right.at || left.rank - right.rank || left.order - right.order)
  let out = ''
  let from = 0
  for (const { at, end, put } of edits) {
    out += text.slice(from, at) + put
    from = end
  }
  return out + text.slice(from)
}
