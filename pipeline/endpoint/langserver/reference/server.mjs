// A language server on Microsoft's library, which frames messages, applies edits and answers
// cancelled requests. With MOCK, the URL of a llama.cpp server, it completes with what that
// says; without, a completion is the whole document and the cursor in it, as the library has
// them.
import { createConnection, LSPErrorCodes, ResponseError, TextDocuments, TextDocumentSyncKind } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'

const connection = createConnection(process.stdin, process.stdout)
const documents = new TextDocuments(TextDocument)

connection.onInitialize(() => ({
  capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental, inlineCompletionProvider: {} },
  serverInfo: { name: 'reference', version: '1' },
}))

async function complete(text, at, token) {
  const gone = new AbortController()
  token.onCancellationRequested(() => gone.abort())
  const answer = await fetch(`${process.env.MOCK}/infill`, {
    method: 'POST', signal: gone.signal, headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input_prefix: text.slice(0, at), input_suffix: text.slice(at), n_predict: 16 }),
  })
  return (await answer.json()).content
}

connection.languages.inlineCompletion.on(async ({ textDocument, position }, token) => {
  const document = documents.get(textDocument.uri)
  const text = document.getText()
  const at = document.offsetAt(position)
  if (!process.env.MOCK) return { items: [{ insertText: JSON.stringify([text, at, document.version]) }] }
  try {
    return { items: [{ insertText: await complete(text, at, token) }] }
  } catch (error) {
    if (token.isCancellationRequested) return new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled')
    throw error
  }
})

documents.listen(connection)
connection.listen()
