import type { Channel } from '../channel.ts'
import { cut, jsonOf, readStatus, waitSeconds, words } from '../channel.ts'

/** Telegram's Bot API, `sendMessage`, as plain text: nothing in a message can be taken for markup. */
export function telegram(baseUrl: string, token: string, chatId: string): Channel {
  return {
    name: 'telegram',
    build: (message) => ({
      method: 'POST',
      url: `${baseUrl}/bot${token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id: chatId,
        text: cut(`${message.title}\n${message.body}`, 4_000),
        disable_notification: message.isSilent,
        link_preview_options: { is_disabled: true },
      }),
    }),
    read: (answer, now) => {
      const { ok, description, parameters } = jsonOf(answer.body)
      const retry =
        typeof parameters === 'object' && parameters !== null && 'retry_after' in parameters
          ? parameters.retry_after
          : undefined
      if (retry !== undefined) return waitSeconds(retry)
      // An answer that is not the Bot API's own (a proxy's page, say) is no delivery.
      if (answer.status === 200 && ok !== true)
        return { kind: 'failed', text: 'the answer is not the Bot API’s' }
      return readStatus(answer, now, words(description))
    },
  }
}
