import type { Channel } from '../channel.ts'
import { cut, jsonOf, readStatus, words } from '../channel.ts'

const priorities = { critical: 5, warning: 4, info: 3 } as const
const silentPriority = 2

/** An ntfy topic, published as JSON. */
export function ntfy(baseUrl: string, topic: string, token: string | null): Channel {
  return {
    name: 'ntfy',
    build: (message) => ({
      method: 'POST',
      url: baseUrl,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        topic,
        title: cut(message.title, 200),
        message: cut(message.body, 1_200),
        priority: message.isSilent ? silentPriority : priorities[message.severity],
      }),
    }),
    read: (answer, now) => readStatus(answer, now, words(jsonOf(answer.body)['error'])),
  }
}
