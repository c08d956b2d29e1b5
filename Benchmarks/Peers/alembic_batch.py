"""alembic_batch.py FILE: Person(firstName, lastName, age) becomes Person(fullName, age, email) with Alembic's batch mode.

The way of Alembic's own documentation for SQLite: a batch that adds the columns, a data migration row by row, and a batch
that drops what is no longer needed; each batch writes the whole table anew.
"""

import sys

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations

engine = sa.create_engine(f"sqlite:///{sys.argv[1]}")
with engine.begin() as connection:
    operations = Operations(MigrationContext.configure(connection))
    with operations.batch_alter_table("Person") as batch:
        batch.add_column(sa.Column("fullName", sa.Text()))
        batch.add_column(sa.Column("email", sa.Text()))
    person = sa.Table("Person", sa.MetaData(), autoload_with=connection)
    rows = connection.execute(sa.select(person.c["_row"], person.c.firstName, person.c.lastName)).all()
    connection.execute(
        sa.update(person).where(person.c["_row"] == sa.bindparam("row")).values(fullName=sa.bindparam("name")),
        [{"row": row, "name": f"{first} {last}"} for row, first, last in rows],
    )
    with operations.batch_alter_table("Person") as batch:
        batch.alter_column("fullName", nullable=False)
        batch.drop_column("firstName")
        batch.drop_column("lastName")
