/** Calls to the service with the key of this tab. */
/* global fetch, sessionStorage */

const SLOT = 'counterproof-key'

export const keyring = {
  get: () => sessionStorage.getItem(SLOT),
  set: (key) => sessionStorage.setItem(SLOT, key),
  clear: () => sessionStorage.removeItem(SLOT),
}

export class Refusal extends Error {
  /** @param {number} status 0: the service could not be reached */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** The answer as JSON. Throws a Refusal, whose message is a sentence for the person. */
export async function call(method, path, body) {
  let answer
  try {
    answer = await fetch(`../head-office/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keyring.get() ?? ''}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new Refusal(0, 'The service cannot be reached. What you see may be old.')
  }
  if (answer.ok) return answer.status === 204 ? null : answer.json()
  throw await refusalOf(answer)
}

export async function refusalOf(answer) {
  const problem = await answer.json().catch(() => ({}))
  const fields = (problem.errors ?? [])
    .filter(({ field }) => field)
    .map(({ field, message }) => `${field} ${message}`)
  const words = {
    401: 'This key is not known, or it has expired or was revoked.',
    403: 'This key is not allowed to do that.',
    429: 'Too many calls. Wait a moment.',
  }
  const sentence = words[answer.status] ?? (fields.length > 0 ? `${fields.join('; ')}.` : problem.detail)
  return new Refusal(answer.status, sentence ?? `The service answered ${answer.status}.`)
}

/** All pages of a list. */
export async function all(path, member) {
  const found = []
  let after = null
  do {
    const page = await call('GET', after ? `${path}${path.includes('?') ? '&' : '?'}after=${after}` : path)
    found.push(...page[member])
    after = page.next
  } while (after && found.length < 5000)
  return found
}
