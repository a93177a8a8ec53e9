/**
 * Where each key of a TOML file stands. The parser gives values without places, and a message about
 * a configuration should name its line; headers and keys are enough for that.
 */
interface TomlLines {
  /** The line of a key, or of the nearest table around it; 1 when nothing is known. */
  lineOf(path: readonly string[]): number
}

export function tomlLines(text: string): TomlLines {
  const lines = new Map<string, number>()
  let table: readonly string[] = []
  text.split('\n').forEach((line, index) => {
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(#.*)?$/.exec(line)
    if (header?.[1] !== undefined) {
      table = splitKey(header[1])
      note(lines, table, index + 1)
      return
    }
    const key =
      /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=/.exec(
        line,
      )
    if (key?.[1] !== undefined) note(lines, [...table, ...splitKey(key[1])], index + 1)
  })
  return {
    lineOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const line = lines.get(path.slice(0, length).join('\u0000'))
        if (line !== undefined) return line
      }
      return 1
    },
  }
}

function note(lines: Map<string, number>, path: readonly string[], line: number): void {
  const key = path.join('\u0000')
  if (!lines.has(key)) lines.set(key, line)
}

function splitKey(text: string): string[] {
  const parts = text.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)
  return [...parts].map((part) => part[1] ?? part[2] ?? part[3] ?? '')
}

/** Something wrong with a configuration, and the key it is about. */
export interface TomlProblem {
  readonly path: readonly string[]
  readonly text: string
}

/** One line for each problem, with its line in the file and its key, in the order of the file. */
export function problemLines(problems: readonly TomlProblem[], toml: string): string[] {
  const lines = tomlLines(toml)
  const told = problems
    .map(({ path, text }) => ({ line: lines.lineOf(path), name: path.join('.'), text }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, name, text }) => `line ${line}: ${name === '' ? '' : `${name}: `}${text}`)
  return [...new Set(told)]
}
