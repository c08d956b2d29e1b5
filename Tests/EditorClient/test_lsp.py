"""`strata lsp` as a client of another project sees it: pytest-lsp, from PyPI. Run by scripts/editor-client."""

import os
import pathlib
import subprocess

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

STRATA = os.environ["STRATA"]
PEOPLE = """schema: People
version: 1
models:
  Person:
    doc: A person.
    properties:
      name: string
      boss: Person?
      home: Address?
"""
PLACES = "models:\n  Address:\n    embedded: true\n    properties: { street: string }\n"


@pytest.fixture(scope="function")
def project(tmp_path: pathlib.Path):
    schemas = tmp_path / "schemas"
    schemas.mkdir()
    (schemas / "People.yaml").write_text(PEOPLE)
    (schemas / "Places.yaml").write_text(PLACES)
    subprocess.run([STRATA, "freeze", "--date", "2026-11-21"], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[STRATA, "lsp"]))
async def client(lsp_client: LanguageClient, project):
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("neovim"),
            workspace_folders=[types.WorkspaceFolder(uri=project.as_uri(), name="people")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def uri(project, path):
    return (project / path).as_uri()


def open_document(client, project, path, text):
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri(project, path), "yaml", 1, text))
    )


def place(project, path, line, character):
    return dict(
        text_document=types.TextDocumentIdentifier(uri(project, path)),
        position=types.Position(line, character),
    )


def checked(project):
    import json

    out = subprocess.run([STRATA, "check", "--json"], cwd=project, capture_output=True, text=True).stdout
    return sorted((f["file"], f["line"], f["code"]) for f in json.loads(out)["findings"])


@pytest.mark.asyncio
async def test_findings_are_those_of_check(client: LanguageClient, project):
    wrong = PEOPLE.replace("name: string", "name: strnig")
    open_document(client, project, "schemas/People.yaml", wrong)
    await client.wait_for_notification("textDocument/publishDiagnostics")
    (project / "schemas/People.yaml").write_text(wrong)
    published = sorted(
        (pathlib.Path(address[7:]).relative_to(project).as_posix(), d.range.start.line + 1, d.code)
        for address, diagnostics in client.diagnostics.items()
        for d in diagnostics
    )
    assert published == checked(project) and published


@pytest.mark.asyncio
async def test_hover_completion_definition_references(client: LanguageClient, project):
    open_document(client, project, "schemas/People.yaml", PEOPLE)
    hover = await client.text_document_hover_async(types.HoverParams(**place(project, "schemas/People.yaml", 6, 7)))
    assert "**Person.name**: `string`" in hover.contents.value and "Since version 1." in hover.contents.value
    items = await client.text_document_completion_async(
        types.CompletionParams(**place(project, "schemas/People.yaml", 8, 14))
    )
    assert "Address" in [item.label for item in items.items]
    target = await client.text_document_definition_async(
        types.DefinitionParams(**place(project, "schemas/People.yaml", 8, 14))
    )
    assert target.uri == uri(project, "schemas/Places.yaml") and target.range.start.line == 1
    found = await client.text_document_references_async(
        types.ReferenceParams(
            context=types.ReferenceContext(include_declaration=True), **place(project, "schemas/Places.yaml", 1, 3)
        )
    )
    assert len(found) == 2


@pytest.mark.asyncio
async def test_rename_writes_the_step(client: LanguageClient, project):
    open_document(client, project, "schemas/People.yaml", PEOPLE)
    edit = await client.text_document_rename_async(
        types.RenameParams(new_name="fullName", **place(project, "schemas/People.yaml", 6, 7))
    )
    changes = edit.document_changes or []
    texts = {c.text_document.uri: [e.new_text for e in c.edits] for c in changes if hasattr(c, "edits")}
    texts |= {address: [e.new_text for e in edits] for address, edits in (edit.changes or {}).items()}
    assert texts[uri(project, "migrations/2.yaml")] == ["to: 2\nrename: { Person.name: fullName }\n"]
    assert sorted(texts[uri(project, "schemas/People.yaml")]) == ["2", "fullName"]


@pytest.mark.asyncio
async def test_formatting(client: LanguageClient, project):
    open_document(client, project, "schemas/Places.yaml", "models:\n    Address: {  embedded:   true }\n")
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(
            text_document=types.TextDocumentIdentifier(uri(project, "schemas/Places.yaml")),
            options=types.FormattingOptions(tab_size=2, insert_spaces=True),
        )
    )
    assert [e.new_text for e in edits] == ["models:\n  Address: { embedded: true }\n"]
