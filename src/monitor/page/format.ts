/** Numbers and times as a person reads them. Values stay decimal text; nothing is computed in floats. */

const dash = '–'

/** Groups thousands and rounds half up to `places` decimals, on text. */
export function grouped(text: string, places: number): string {
  const negative = text.startsWith('-')
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const scaled = BigInt(`${whole}${fraction.padEnd(places + 1, '0').slice(0, places + 1)}`)
  const rounded = (scaled + 5n) / 10n
  const digits = rounded.toString().padStart(places + 1, '0')
  const split = digits.length - places
  const head = digits.slice(0, split).replace(/\B(?=(\d{3})+$)/g, ',')
  const tail = places === 0 ? '' : `.${digits.slice(split)}`
  return `${negative && rounded !== 0n ? '−' : ''}${head}${tail}`
}

export function money(text: string | null): string {
  if (text === null) return dash
  const shown = grouped(text, 2)
  return shown.startsWith('−') ? `−$${shown.slice(1)}` : `$${shown}`
}

/** With a sign in front, for profit and loss. */
export function signedMoney(text: string | null): string {
  if (text === null) return dash
  const shown = money(text)
  return shown.startsWith('−') ? shown : `+${shown}`
}

export function percent(ratio: string | null, places = 2): string {
  return ratio === null ? dash : `${grouped(shift(ratio, 2), places)}%`
}

/** A price or size: thousands grouped, its own decimals kept. */
export function plain(text: string | null): string {
  if (text === null) return dash
  const places = text.split('.')[1]?.length ?? 0
  return grouped(text, places)
}

/** Moves the decimal point right. */
function shift(text: string, places: number): string {
  const negative = text.startsWith('-')
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const padded = fraction.padEnd(places, '0')
  const moved = `${whole}${padded.slice(0, places)}`.replace(/^0+(?=\d)/, '')
  const rest = padded.slice(places)
  return `${negative ? '-' : ''}${moved}${rest === '' ? '' : `.${rest}`}`
}

export function clockTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19)
}

export function fullTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23).replace('T', ' ')} UTC`
}

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export function shortAddress(address: string | null): string {
  return address === null ? dash : `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** What is left of a limit, exactly; nothing below zero, and null where either is unknown. */
export function leftOf(used: string | null, limit: string | null): string | null {
  if (used === null || limit === null) return null
  const places = Math.max(placesOf(used), placesOf(limit))
  const left = unitsOf(limit, places) - unitsOf(used, places)
  const digits = (left > 0n ? left : 0n).toString().padStart(places + 1, '0')
  const split = digits.length - places
  return places === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`
}

function placesOf(text: string): number {
  return text.split('.')[1]?.length ?? 0
}

function unitsOf(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`)
}

/** For drawing only: a bar's width or a chart's point. */
export function forDrawing(text: string): number {
  return Number.parseFloat(text)
}

/** Share of a limit in percent, 0 to 100, for drawing; null where either is unknown. */
export function shareForDrawing(used: string | null, limit: string | null): number | null {
  if (used === null || limit === null) return null
  const whole = forDrawing(limit)
  if (!(whole > 0)) return null
  return Math.min(100, Math.max(0, (forDrawing(used) / whole) * 100))
}
