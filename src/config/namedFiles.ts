import { resolve } from 'node:path'
import { parse } from 'smol-toml'

/** A file that a configuration names: under which key, and where. */
interface NamedFile {
  readonly key: string
  readonly path: string
}

/** Every file a valid configuration names by a key `file` or `.._file`. */
export function namedFiles(text: string, homePath: string): readonly NamedFile[] {
  return filesIn(parse(text), []).map(({ key, path }) => ({ key, path: resolve(homePath, path) }))
}

function filesIn(table: object, above: readonly string[]): readonly NamedFile[] {
  return Object.entries(table).flatMap(([name, value]: readonly [string, unknown]) => {
    if (typeof value === 'string') {
      return /(^|_)file$/.test(name) ? [{ key: [...above, name].join('.'), path: value }] : []
    }
    return typeof value === 'object' && value !== null ? filesIn(value, [...above, name]) : []
  })
}
