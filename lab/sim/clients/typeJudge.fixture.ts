import { resolve } from 'node:path'
import ts from 'typescript'

/** One answer or frame, and the type by which the most complete client knows it. */
interface Sample {
  readonly kind: 'info' | 'subscription' | 'exchange'
  readonly method: string
  readonly json: any
}

/** Lists beyond this length say nothing new about their shape. */
const rowsMax = 25

/**
 * Judges answers by the types that `@nktkas/hyperliquid` ships: each becomes a literal of its type in
 * a file that the TypeScript compiler checks, so that a missing, a strange and a mistyped field all
 * show. What the venue has added since that version is taken off first.
 */
export class TypeJudge {
  readonly #samples: Sample[] = []

  info(type: string, json: unknown): void {
    this.#samples.push({ kind: 'info', method: type, json })
  }

  exchange(type: string, json: unknown): void {
    this.#samples.push({ kind: 'exchange', method: type, json })
  }

  /** A frame of the socket; those that are no stream's are not judged here. */
  frame({ channel, data }: { readonly channel: string; readonly data: unknown }): void {
    if (['subscriptionResponse', 'pong', 'post', 'error', 'fastAssetCtxs'].includes(channel)) return
    const method = channel === 'user' ? 'userEvents' : channel
    this.#samples.push({ kind: 'subscription', method, json: data })
  }

  /** The methods of which at least one answer was judged, sorted. */
  get methods(): string[] {
    return [...new Set(this.#samples.map(({ kind, method }) => `${kind} ${method}`))].sort()
  }

  /** Samples that differ in more than their digits. */
  #distinct(): Sample[] {
    const seen = new Map<string, Sample>()
    for (const sample of this.#samples) {
      if (isOutdated(sample)) continue
      const shape = JSON.stringify(sample).replace(/-?\d+(\.\d+)?/g, '0')
      if (!seen.has(shape)) seen.set(shape, sample)
    }
    return [...seen.values()]
  }

  /** One line for each answer that does not fit its type: the method and what is wrong. */
  violations(): string[] {
    const samples = this.#distinct()
    const lines = samples.map(
      ({ kind, method, json }, at) =>
        `export const s${String(at)}: ${kind}.${typeName(kind, method)} = ` +
        JSON.stringify(plain(json, method)),
    )
    const imports = ['info', 'subscription', 'exchange'].map(
      (kind) => `import type * as ${kind} from '@nktkas/hyperliquid/api/${kind}'`,
    )
    const source = [...imports, ...lines].join('\n')
    return diagnose(source).map(({ line, text }) => {
      const sample = samples[line - imports.length]
      return `${sample?.kind ?? '?'} ${sample?.method ?? '?'}: ${text}`
    })
  }
}

function typeName(kind: Sample['kind'], method: string): string {
  const name = method.charAt(0).toUpperCase() + method.slice(1)
  return `${name}${kind === 'subscription' ? 'Event' : 'Response'}`
}

/**
 * Where the venue has changed since these types were written, and their newer versions say so: an
 * answer of that kind cannot fit both. What is left of it is judged.
 */
function isOutdated({ method, json }: Sample): boolean {
  // Other fields than before; null for what is no vault.
  return method === 'legalCheck' || (method === 'vaultDetails' && json === null)
}

/** Whether a field of an object is newer than the types. */
function isNewer(object: any, key: string, method: string): boolean {
  // A TWAP's trigger and stop, and the time of an account's funding event.
  if ('executedSz' in object) return key === 'trigger' || key === 'stopPx'
  return method === 'userEvents' && key === 'time' && 'fundingRate' in object
}

/** Without what is newer, and with long lists cut. */
function plain(json: any, method: string): any {
  if (Array.isArray(json)) return json.slice(0, rowsMax).map((each) => plain(each, method))
  if (json === null || typeof json !== 'object') return json
  const left = Object.entries(json).filter(([key]) => !isNewer(json, key, method))
  return Object.fromEntries(left.map(([key, value]) => [key, plain(value, method)]))
}

function diagnose(source: string): { readonly line: number; readonly text: string }[] {
  const path = resolve(import.meta.dirname, 'judged.virtual.ts')
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const [read, exists] = [host.getSourceFile.bind(host), host.fileExists.bind(host)]
  host.getSourceFile = (file, ...rest) =>
    file === path ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2023) : read(file, ...rest)
  host.fileExists = (file) => file === path || exists(file)
  const program = ts.createProgram([path], options, host)
  const file = program.getSourceFile(path)
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  return found.map(({ start = 0, messageText }) => ({
    line: file?.getLineAndCharacterOfPosition(start).line ?? 0,
    text: ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 400),
  }))
}
