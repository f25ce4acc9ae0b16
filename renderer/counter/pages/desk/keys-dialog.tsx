/** The list of keys, and the switch for single-letter keys. */
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { KEY_LIST, KEY_LIST_ANYWHERE } from './keys.ts'

export function KeysDialog({
  letters,
  onLetters,
  onClose,
}: {
  readonly letters: boolean
  readonly onLetters: (on: boolean) => void
  readonly onClose: () => void
}) {
  const { t } = useText()
  const list = (keys: typeof KEY_LIST) => (
    <dl class="key-list">
      {keys.map(([key, words]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{t(words)}</dd>
        </div>
      ))}
    </dl>
  )
  return (
    <Dialog
      title={t('desk.keys.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('close')}</Button>}
    >
      <CheckField
        label={t('desk.keys.letters')}
        hint={t('desk.keys.letters.hint')}
        checked={letters}
        onChange={onLetters}
      />
      <h3>{t('desk.keys.viewer')}</h3>
      {list(KEY_LIST)}
      <h3>{t('desk.keys.anywhere')}</h3>
      {list(KEY_LIST_ANYWHERE)}
    </Dialog>
  )
}
