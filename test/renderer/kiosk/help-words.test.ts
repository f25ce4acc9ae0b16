/** The messages to an applicant who called for help: only what staff have said, and when that is over. */
import { expect, test } from 'vitest'
import type { HelpView } from '../../../server/kiosk/contract/index.ts'
import { helpWords } from '../../../renderer/kiosk/help-words.ts'
import en from '../../../renderer/locales/en.json' with { type: 'json' }

const called = { asked: true, seen: true, answer: null, minutes: null } as const

test.each<[string, HelpView, RegExp]>([
  ['before an officer answers', called, /They have not answered yet/],
  ['where no member of staff can see the call', { ...called, seen: false }, /Go to the counter/],
  ['when an officer is coming', { ...called, answer: 'COMING', minutes: 1 }, /on the way to you/],
  ['when that was long ago', { ...called, answer: 'COMING', minutes: 5 }, /go to the counter/],
  [
    'when an officer comes in two minutes',
    { ...called, answer: 'TWO_MINUTES', minutes: 0 },
    /about 2 minutes/,
  ],
  ['a minute later', { ...called, answer: 'TWO_MINUTES', minutes: 1 }, /about 1 minute\./],
  ['when the two minutes are over', { ...called, answer: 'TWO_MINUTES', minutes: 2 }, /2 minutes are over/],
  ['nine minutes after that answer', { ...called, answer: 'TWO_MINUTES', minutes: 9 }, /2 minutes are over/],
  [
    'after an answer, when no officer is signed in any more',
    { ...called, seen: false, answer: 'COMING', minutes: 0 },
    /on the way/,
  ],
])('%s', (_, help, words) => {
  expect(en.kiosk[helpWords(help) as keyof typeof en.kiosk]).toMatch(words)
})

test('the words of a call for help promise no officer before staff have answered', () => {
  expect(en.kiosk['help.asked']).not.toMatch(/coming|is on/i)
})
