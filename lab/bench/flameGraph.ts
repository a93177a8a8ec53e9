/** A profile as V8 writes it. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples?: readonly number[]
  readonly timeDeltas?: readonly number[]
}

interface Frame {
  readonly name: string
  total: number
  readonly children: Map<string, Frame>
}

const width = 1_200
const rowHeight = 17
const leastWidth = 0.6
const depthMax = 60

/** Draws where the processor time went: one bar for each function, as wide as its share. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = framesOf(profile)
  const boxes: string[] = []
  const depth = draw(root, 0, 0, width / Math.max(1, root.total), boxes, root.total)
  const height = (depth + 1) * rowHeight + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="20" font-size="14">${escaped(title)}</text>`,
    '<g transform="translate(0 32)">',
    ...boxes,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function framesOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Frame {
  const own = new Map<number, number>()
  samples.forEach((id, at) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0)))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const root: Frame = { name: 'Guard', total: 0, children: new Map() }
  const walk = (id: number, into: Frame): number => {
    const node = byId.get(id)
    if (node === undefined) return 0
    const { functionName } = node.callFrame
    if (functionName === '(idle)') return 0
    const frame = functionName === '(root)' ? into : childOf(into, functionName || '(anonymous)')
    let total = own.get(id) ?? 0
    for (const child of node.children ?? []) total += walk(child, frame)
    frame.total += total
    return total
  }
  const [first] = nodes
  if (first !== undefined) walk(first.id, root)
  return root
}

function childOf(frame: Frame, name: string): Frame {
  const known = frame.children.get(name)
  if (known !== undefined) return known
  const made: Frame = { name, total: 0, children: new Map() }
  frame.children.set(name, made)
  return made
}

/** Draws a frame and those it called; returns how deep they go. */
function draw(
  frame: Frame,
  x: number,
  depth: number,
  scale: number,
  boxes: string[],
  whole: number,
): number {
  const wide = frame.total * scale
  if (wide < leastWidth || depth > depthMax) return depth
  const y = depth * rowHeight
  const share = ((frame.total / Math.max(1, whole)) * 100).toFixed(1)
  const room = Math.floor((wide - 6) / 6.7)
  const label = room < 3 ? '' : escaped(frame.name.slice(0, room))
  boxes.push(
    `<g><title>${escaped(frame.name)}: ${share}%</title><rect x="${x.toFixed(1)}" y="${y}" ` +
      `width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(frame.name)}"/>` +
      `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${label}</text></g>`,
  )
  let left = x
  let deepest = depth
  const called = [...frame.children.values()].sort((a, b) => b.total - a.total)
  for (const child of called) {
    deepest = Math.max(deepest, draw(child, left, depth + 1, scale, boxes, whole))
    left += child.total * scale
  }
  return deepest
}

/** The same name has the same colour, in the warm part of the circle. */
function colourOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973
  return `hsl(${15 + (sum % 45)} 85% ${68 + (sum % 12)}%)`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
