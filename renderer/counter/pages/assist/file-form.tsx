/** Form for the picture files of all sides of a document. */
import { useState } from 'preact/hooks'
import { DOCUMENT_FILES, PICTURE_FILES } from '../../../file-types.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { FileField } from '../../ui/field.tsx'

export function FileForm({
  sides,
  working,
  onSend,
}: {
  readonly sides: readonly string[]
  readonly working: boolean
  readonly onSend: (front: File, back: File | null) => void
}) {
  const { t } = useText()
  const [front, setFront] = useState<File | null>(null)
  const [back, setBack] = useState<File | null>(null)
  const needsBack = sides.includes('BACK')
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (front) onSend(front, back)
      }}
    >
      <PictureField label={t('image.FRONT')} isDocument onFile={setFront} />
      {needsBack && <PictureField label={t('image.BACK')} isDocument onFile={setBack} />}
      <Button
        kind="primary"
        type="submit"
        icon="upload"
        working={working}
        disabled={!front || (needsBack && !back)}
      >
        {t('assist.document.send')}
      </Button>
    </form>
  )
}

export function PictureField({
  label,
  isDocument = false,
  onFile,
}: {
  readonly label: string
  readonly isDocument?: boolean
  readonly onFile: (file: File | null) => void
}) {
  const { t } = useText()
  return (
    <FileField
      label={label}
      hint={t(isDocument ? 'assist.document.file.hint' : 'assist.file.hint')}
      accept={isDocument ? DOCUMENT_FILES : PICTURE_FILES}
      onFile={onFile}
    />
  )
}
