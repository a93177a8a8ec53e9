/** One check: what was found, and what to do where it is not ok. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'bad'
  readonly text: string
  readonly remedy: string | null
}

export const fine = (name: string, text: string): Finding => ({
  name,
  state: 'ok',
  text,
  remedy: null,
})

export const look = (name: string, text: string, remedy: string): Finding => ({
  name,
  state: 'warn',
  text,
  remedy,
})

export const bad = (name: string, text: string, remedy: string): Finding => ({
  name,
  state: 'bad',
  text,
  remedy,
})
