/** From and to are minutes of the day in the time zone; a span may run over midnight. */
export interface QuietHours {
  readonly from: number
  readonly to: number
  readonly timeZone: string
}

/** "22:30" as minutes of the day; null when it is no time. */
export function parseQuietTime(text: string): number | null {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return parts === null ? null : Number(parts[1]) * 60 + Number(parts[2])
}

export function isQuiet(quiet: QuietHours | null, at: number): boolean {
  if (quiet === null) return false
  const minute = minuteOfDay(at, quiet.timeZone)
  return quiet.from < quiet.to
    ? minute >= quiet.from && minute < quiet.to
    : minute >= quiet.from || minute < quiet.to
}

const formats = new Map<string, Intl.DateTimeFormat>()

function minuteOfDay(at: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    })
  formats.set(timeZone, format)
  const [hour = '0', minute = '0'] = format.format(at).split(':')
  return (Number(hour) % 24) * 60 + Number(minute)
}
