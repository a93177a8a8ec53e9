/** One server-sent event: its id and its data. */
interface SseMessage {
  readonly id: string | null
  readonly data: string
}

/** Takes text in pieces of any size and gives whole events; comments only prove that someone is there. */
export class SseParser {
  #rest = ''
  #id: string | null = null
  #data: string[] = []

  push(text: string): SseMessage[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    const messages: SseMessage[] = []
    for (const line of lines) {
      const message = this.#line(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (message !== null) messages.push(message)
    }
    return messages
  }

  #line(line: string): SseMessage | null {
    if (line === '') {
      const message = this.#data.length === 0 ? null : { id: this.#id, data: this.#data.join('\n') }
      this.#id = null
      this.#data = []
      return message
    }
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'id') this.#id = value
    else if (name === 'data') this.#data.push(value)
    return null
  }
}
