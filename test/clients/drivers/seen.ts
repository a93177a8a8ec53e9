import type { Seen } from '../bot.ts'

export const dead = '0x000000000000000000000000000000000000dead'

/** What a client threw, in its words and under its name. */
export function refusal(error: unknown): Seen {
  const { name, message } = error as Error
  return { refused: message, as: (error as object).constructor.name || name }
}

/** A promise that the first call fulfils. */
export function first<T>(): { readonly came: Promise<T>; give(value: T): void } {
  let give!: (value: T) => void
  const came = new Promise<T>((resolve) => {
    give = resolve
  })
  return { came, give: (value) => give(value) }
}
