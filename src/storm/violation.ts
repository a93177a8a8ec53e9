/** Something happened that must not; it ends the run, and its text is what a person reads first. */
export class Violation extends Error {
  readonly rule: string

  constructor(rule: string, text: string) {
    super(`${rule}: ${text}`)
    this.rule = rule
  }
}
