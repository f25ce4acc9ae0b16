/** Each language by its own name, in its own language. */
import { LANGUAGES } from '../../locales/index.ts'
import { useKitText } from '../text.tsx'

export function LanguageChoice({ onChosen }: { readonly onChosen?: (tag: string) => void }) {
  const { t, language, chooseLanguage } = useKitText()
  if (LANGUAGES.length < 2) return null
  return (
    <ul class="languages" aria-label={t('language.label')}>
      {LANGUAGES.map(({ tag, name, dir }) => (
        <li key={tag}>
          <button
            type="button"
            lang={tag}
            dir={dir}
            aria-current={tag === language.tag ? 'true' : undefined}
            onClick={() => {
              chooseLanguage(tag)
              onChosen?.(tag)
            }}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}
