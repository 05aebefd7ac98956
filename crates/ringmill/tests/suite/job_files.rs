//! Job files hold all that a party needs.

use ringmill::circuit::{Builder, Visibility, WireType};
use ringmill::{
    Error, ErrorKind, Job, JobFile, NamedCircuit, Optimise, Planning, PublicInputs, Seed, Table, circuits,
};

/// Saves the job of a circuit and opens it again by its file alone.
fn reopened(circuit: &NamedCircuit) -> Job {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.job");
    let planned = Planning::new().optimise(Optimise::Off).plan(circuit).unwrap();
    planned.save(&path).unwrap();
    let job = Job::open(&path).unwrap();
    assert_eq!(job.circuit(), planned.circuit());
    assert_eq!((job.name(), planned.name()), (circuit.name(), circuit.name()));
    assert_eq!(
        job.plan_details().recipe().circuit,
        planned.plan_details().recipe().circuit
    );
    job
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// The numbers of one record through a job.
fn evaluate(job: &Job, private: &str, public: &str) -> String {
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let public = match public {
        "" => PublicInputs::none(),
        table => PublicInputs::table(Table::csv(table)),
    };
    let inputs = client.encrypt(&Table::csv(private)).unwrap();
    let results = server.evaluate_with(inputs, &public).unwrap();
    client.decrypt(&results).unwrap().to_csv().unwrap()
}

#[test]
fn a_text_keeps_its_names() {
    let text = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 AND\n";
    let circuit = circuits::from_bristol("dir/two.txt", text.as_bytes()).unwrap();
    let circuit = circuit
        .with_names(&names(&["left", "right"]), &names(&["mixed"]))
        .unwrap();
    let job = reopened(&circuit.with_public("right").unwrap());
    // The lower bits are added, the upper ones multiplied.
    assert_eq!(evaluate(&job, "left\n3\n1\n", "right\n2\n3\n"), "mixed\n3\n0\n");
}

/// A product of two words of two bits, bit by bit, in each format of synthesis tools: found by its name, or by its first
/// word.
#[test]
fn files_of_synthesis_tools_keep_their_ports() {
    let symbols = "i0 a[0]\ni1 a[1]\ni2 mask[0]\ni3 mask[1]\no0 both[0]\no1 both[1]\n";
    let text = format!("aag 6 4 0 2 2\n2\n4\n6\n8\n10\n12\n10 2 6\n12 4 8\n{symbols}");
    let mut binary = b"aig 6 4 0 2 2\n10\n12\n".to_vec();
    binary.extend([4, 4, 4, 4]);
    binary.extend(symbols.bytes());
    let tables = ".model m\n.inputs a[0] a[1] mask[0] mask[1]\n.outputs both[0] both[1]\n\
                  .names a[0] mask[0] both[0]\n11 1\n.names a[1] mask[1] both[1]\n11 1\n.end\n";
    let directory = tempfile::tempdir().unwrap();
    let contents = [text.as_bytes(), &binary, tables.as_bytes()];
    for (content, ending) in contents.into_iter().zip(["aag", "aig", "blif"]) {
        for name in [format!("x.{ending}"), format!("{ending}.circuit")] {
            let path = directory.path().join(name);
            std::fs::write(&path, content).unwrap();
            let circuit = circuits::open(&path).unwrap();
            let job = reopened(&circuit.with_public("mask").unwrap());
            assert_eq!(evaluate(&job, "a\n3\n1\n", "mask\n2\n3\n"), "both\n2\n1\n");
        }
    }
}

#[test]
fn a_circuit_of_the_builder_is_kept_if_it_has_bits_only() {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 3);
    let mask = builder.input("mask", Visibility::Public, 3);
    let both = builder.and_words(&a, &mask).unwrap();
    builder.output("both", &both);
    let job = reopened(&NamedCircuit::new("masked", builder.finish().unwrap()));
    assert_eq!(evaluate(&job, "a\n7\n5\n", "mask\n6\n3\n"), "both\n6\n1\n");

    let mut builder = Builder::new();
    let rows = builder.input_rows("x", Visibility::Private, 2, 1);
    let product = builder.and(rows[0], rows[1]);
    builder.output_rows("y", &[product]);
    let circuit = NamedCircuit::new("rows", builder.finish().unwrap());
    assert!(matches!(circuit.circuit().outputs()[0].kind, WireType::Row(1)));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.job");
    Job::plan(&circuit).unwrap().save(&path).unwrap();
    let file = JobFile::open(&path).unwrap();
    assert!(file.circuit().is_none() && !file.is_for_messages());
    let error = Planning::new().open(&file).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::BadFile);
    assert!(
        error.to_string().contains("not the circuit that it is for"),
        "{error}"
    );
    Planning::new().open(&file.with_circuit(circuit)).unwrap();
}

#[test]
fn chains_have_any_length_and_public_ports_anywhere() {
    let named = |name: &str| circuits::by_name(name).unwrap();
    // (x + y) & mask, and whether that is above a limit.
    let add = named("add32");
    let sum_ports: Vec<&str> = add.circuit().inputs().iter().map(|port| &*port.name).collect();
    assert_eq!(sum_ports, ["a", "b"]);
    let mask = {
        let mut builder = Builder::new();
        let value = builder.input("value", Visibility::Private, 32);
        let mask = builder.input("mask", Visibility::Public, 32);
        let both = builder.and_words(&value, &mask).unwrap();
        builder.output("masked", &both);
        NamedCircuit::new("mask", builder.finish().unwrap())
    };
    let public = names(&["add32.b", "less32.a"]);
    let chain = circuits::chain(vec![add, mask, named("less32")], &public, false).unwrap();
    let ports: Vec<_> = chain
        .circuit()
        .inputs()
        .iter()
        .map(|port| (&*port.name, port.visibility))
        .collect();
    let (private, public) = (Visibility::Private, Visibility::Public);
    // Both `a` are there: the later one has its circuit's name before it.
    assert_eq!(
        ports,
        [
            ("a", private),
            ("b", public),
            ("mask", public),
            ("less32.a", public)
        ]
    );
    let job = reopened(&chain);
    let table = "b,mask,less32.a\n5,255,260\n5,511,260\n";
    assert_eq!(evaluate(&job, "a\n256\n256\n", table), "less\nfalse\ntrue\n");
}

/// Zeros above a result that is too narrow, if they are asked for; a negative number would not stay what it is.
#[test]
fn narrow_results_are_widened_on_request() {
    let named = |name: &str| circuits::by_name(name).unwrap();
    let near = |widen| {
        let both = vec![named("hamming64"), named("less32")];
        circuits::chain(both, &names(&["less32.b"]), widen)
    };
    let error = near(false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("(--widen)"), "{error}");
    let job = reopened(&near(true).unwrap());
    let table = "a,b\n0,0\n0,7\n7,56\n0,18446744073709551615\n";
    let results = evaluate(&job, table, "less32.b\n3\n3\n6\n64\n");
    assert_eq!(results, "less\ntrue\nfalse\nfalse\nfalse\n");

    let types = &circuits::KnownTypes::default();
    let signed = circuits::from_expression("signed", "x: i8; y = -x", types).unwrap();
    let takes = circuits::from_expression("takes", "y: u32; z = y > 3", types).unwrap();
    let error = circuits::chain(vec![signed, takes], &[], true).unwrap_err();
    assert!(
        error.to_string().contains("--widen: y of signed is signed"),
        "{error}"
    );
}

/// As many circuits as files take: no file is written that could not be read.
#[test]
fn chains_in_files_are_bounded() {
    let chain = |length: usize| {
        let one = || {
            let mut builder = Builder::new();
            let x = builder.input("x", Visibility::Private, 2);
            builder.output("y", &x);
            let inverted = builder.not_word(&x);
            builder.output("z", &inverted);
            NamedCircuit::new("pair", builder.finish().unwrap())
        };
        let take = || {
            let mut builder = Builder::new();
            let (a, b) = (
                builder.input("a", Visibility::Private, 2),
                builder.input("b", Visibility::Private, 2),
            );
            let sum = builder.xor_words(&a, &b).unwrap();
            builder.output("y", &sum);
            builder.output("z", &a);
            NamedCircuit::new("mix", builder.finish().unwrap())
        };
        let circuits = std::iter::once(one()).chain((1..length).map(|_| take()));
        circuits::chain(circuits.collect(), &[], false).unwrap()
    };
    reopened(&chain(16));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.job");
    let job = Planning::new().optimise(Optimise::Off).plan(&chain(17)).unwrap();
    let error = job.save(&path).unwrap_err();
    assert!(error.to_string().contains("a chain of circuits"), "{error}");
    assert!(!path.exists());
}

#[test]
fn ports_that_are_not_there_or_not_clear_are_named() {
    let named = |name: &str| circuits::by_name(name).unwrap();
    let chain = |public: &[&str]| {
        let chain = circuits::chain(vec![named("add32"), named("less32")], &names(public), false);
        chain.map_err(|error: Error| (error.kind(), error.to_string()))
    };
    let (kind, text) = chain(&["c"]).unwrap_err();
    assert_eq!(kind, ErrorKind::Usage);
    assert!(
        text.contains("no input port c; there are add32.a, add32.b, less32.a, less32.b"),
        "{text}"
    );
    let (_, text) = chain(&["a"]).unwrap_err();
    assert!(text.contains("a may be add32.a, less32.a; say which"), "{text}");
    let error = named("add32")
        .with_names(&names(&["a"]), &names(&["c"]))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("2 input and 1 output ports, and 1 and 1 are named"),
        "{error}"
    );
    let error = named("add32")
        .with_names(&names(&["a", "a"]), &names(&["c"]))
        .unwrap_err();
    assert!(error.to_string().contains("--names:"), "{error}");
    let empty = circuits::chain(Vec::new(), &[], false).unwrap_err();
    assert_eq!(empty.kind(), ErrorKind::Usage);
}

/// The circuit of a file is the one that it is planned for, whatever else it says.
#[test]
fn damaged_circuits_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.job");
    let saved = |name: &str| {
        let file = directory.path().join(format!("{name}.job"));
        let circuit = circuits::by_name(name).unwrap();
        Planning::new()
            .optimise(Optimise::Off)
            .plan(&circuit)
            .unwrap()
            .save(&file)
            .unwrap();
        std::fs::read(file).unwrap()
    };
    let one = saved("and8");
    for length in [one.len() - 1, one.len() - 40] {
        std::fs::write(&path, &one[..length]).unwrap();
        let error = JobFile::open(&path).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::BadFile, "{error}");
    }
    let mut flipped = one.clone();
    let place = flipped.len() - 36;
    flipped[place] ^= 1;
    std::fs::write(&path, &flipped).unwrap();
    assert_eq!(JobFile::open(&path).err().unwrap().kind(), ErrorKind::BadFile);
    std::fs::write(&path, [&*one, b"x"].concat()).unwrap();
    assert_eq!(JobFile::open(&path).err().unwrap().kind(), ErrorKind::BadFile);
    std::fs::write(&path, &one).unwrap();
    let file = JobFile::open(&path)
        .unwrap()
        .with_circuit(circuits::by_name("add8").unwrap());
    let error = Planning::new().open(&file).err().unwrap();
    assert!(error.to_string().contains("another circuit than add8"), "{error}");
}
