/** A settings file in words: every member by its name, for readers who do not read JSON. */
import { useState } from 'preact/hooks'
import type { Texts } from '../../text.tsx'
import { useText } from '../../text.tsx'
import { memberWord, valueWords } from './place-words.ts'

export function InWords({ content }: { readonly content: unknown }) {
  const texts = useText()
  // A policy has hundreds of members: while they are hidden, each key that is typed would render all of them.
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="settings-in-words" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.t('settings.in-words')}</summary>
      {isOpen && <Branch field="" value={content} texts={texts} />}
    </details>
  )
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

interface BranchProps {
  readonly field: string
  readonly value: unknown
  readonly texts: Texts
}

function Branch({ field, value, texts }: BranchProps) {
  if (Array.isArray(value) && value.some(isBranch)) {
    return (
      <ol>
        {value.map((one: unknown, at) => (
          <li key={at}>
            <Branch field={field} value={one} texts={texts} />
          </li>
        ))}
      </ol>
    )
  }
  if (!isBranch(value) || Array.isArray(value)) return <bdi>{valueWords(field, value, texts)}</bdi>
  return (
    <dl class="given">
      {Object.entries(value).map(([name, inner]) => (
        <div key={name}>
          <dt>
            <bdi>{memberWord(name, texts)}</bdi>
          </dt>
          <dd>
            <Branch field={name} value={inner} texts={texts} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
