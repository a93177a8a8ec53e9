import type { Channel } from '../channel.ts'
import { cut, jsonOf, readStatus, waitSeconds, words } from '../channel.ts'

/** A message flag: no push notification. */
const suppressNotifications = 4_096

/** A Discord webhook; nobody is mentioned and nothing is taken for markup. */
export function discord(baseUrl: string, path: string): Channel {
  return {
    name: 'discord',
    build: (message) => ({
      method: 'POST',
      url: `${baseUrl}/${path}?wait=true`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        content: cut(`**${escaped(message.title)}**\n${escaped(message.body)}`, 1_900),
        allowed_mentions: { parse: [] },
        ...(message.isSilent ? { flags: suppressNotifications } : {}),
      }),
    }),
    read: (answer, now) => {
      const { retry_after, message } = jsonOf(answer.body)
      if (answer.status === 429 && retry_after !== undefined) return waitSeconds(retry_after)
      return readStatus(answer, now, words(message))
    },
  }
}

function escaped(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<:@-]/g, (mark) => `\\${mark}`)
}
