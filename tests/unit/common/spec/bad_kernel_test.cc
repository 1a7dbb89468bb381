// `kernel:`: source, parameters, constants, reference. Every refusal with its exact words and
// place.
#include <gtest/gtest.h>

#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

class BadJobKernelTest : public testing::TestWithParam<BadJob> {};

TEST_P(BadJobKernelTest, IsRefused) {
  const BadJob& job = GetParam();
  ExpectRefusal(ReadJob(SampleJob(job.text), SourceCheck::kRequired).status(), job);
}

const BadJob kBadJobs[] = {
    {"WorkloadToo",
     SampleWith("name: vector-add\n", "name: vector-add\nworkload: {operator: matmul}\n"),
     "job.yaml:2:1: workload: a job has a `kernel` or a `workload`, not both",
     "remove one of them"},
    {"Limits", SampleWith("budget: {", "limits: [\"power <= 15\"]\nbudget: {"),
     "job.yaml:28:1: limits: `limits` is not supported by this version", ""},
    {"Kernels", SampleWith("name: vector-add\n", "name: vector-add\nkernels: []\n"),
     "job.yaml:2:1: kernels: `kernels` is not supported by this version", ""},
    {"Model", SampleWith("name: vector-add\n", "name: vector-add\nmodel: x\n"),
     "job.yaml:2:1: model: `model` is not supported by this version", ""},
    {"Launch", SampleWith("  work: {", "  launch: {global: [n]}\n  work: {"),
     "job.yaml:24:3: kernel.launch: C++ kernels have no `launch`",
     "remove it: the function itself loops over its data"},
    {"UnknownLanguage", SampleWith("  language: cpp\n", "  language: c++\n"),
     "job.yaml:3:13: kernel.language: unknown language 'c++'", "known: cpp, replay"},
    {"LaterLanguage", SampleWith("  language: cpp\n", "  language: opencl\n"),
     "job.yaml:3:13: kernel.language: language 'opencl' is not supported by this version",
     "known: cpp, replay"},
    {"SourceAsText", SampleWith("source: {file: add.cc}", "source: add.cc"),
     "job.yaml:4:11: kernel.source: must be a mapping, not the string 'add.cc'",
     "write {file: 'add.cc'}"},
    {"SourceByVariant", SampleWith("source: {file: add.cc}", "source: {by: V, files: {}}"),
     "job.yaml:4:12: kernel.source.by: `by` is not supported by this version", ""},
    {"SourceWithoutFile", SampleWith("source: {file: add.cc}", "source: {}"),
     "job.yaml:4:3: kernel.source: the key 'file' is missing", ""},
    {"EntryNoIdentifier", SampleWith("  entry: add\n", "  entry: add-it\n"),
     "job.yaml:5:10: kernel.entry: 'add-it' cannot name a function",
     "a name has letters, digits and '_', and does not start with a digit"},
    {"EntryKeyword", SampleWith("  entry: add\n", "  entry: while\n"),
     "job.yaml:5:10: kernel.entry: 'while' is a keyword of C++ and cannot name a function",
     "choose another name"},
    {"ParametersEmpty",
     SampleWith("  parameters:\n    BLOCK: [32, 64, 128]\n    OPT: [2, 3]\n    ORDER: [forward, "
                "backward]\n    FAST: [false, true]\n",
                "  parameters: {}\n"),
     "job.yaml:14:3: kernel.parameters: there is no parameter to tune", ""},
    {"ParameterWithoutValues", SampleWith("OPT: [2, 3]", "OPT: []"),
     "job.yaml:16:10: kernel.parameters.OPT: has no values", "list at least one value"},
    {"ParameterSingleValue", SampleWith("OPT: [2, 3]", "OPT: 2"),
     "job.yaml:16:10: kernel.parameters.OPT: must be a list, not the integer 2",
     "write [2] for a single value"},
    {"ParameterDuplicateValue", SampleWith("OPT: [2, 3]", "OPT: [2, 3, 2.0]"),
     "job.yaml:16:17: kernel.parameters.OPT[2]: the value 2.0 stands twice",
     "it equals kernel.parameters.OPT[0]"},
    {"ParameterDuplicateBoolean", SampleWith("OPT: [2, 3]", "OPT: [true, 1]"),
     "job.yaml:16:17: kernel.parameters.OPT[1]: the value 1 stands twice",
     "it equals kernel.parameters.OPT[0]"},
    {"ParameterListValue", SampleWith("OPT: [2, 3]", "OPT: [2, [3]]"),
     "job.yaml:16:14: kernel.parameters.OPT[1]: must be a number, a string or a boolean, not a "
     "list",
     ""},
    {"ParameterNullValue", SampleWith("OPT: [2, 3]", "OPT: [2, ~]"),
     "job.yaml:16:14: kernel.parameters.OPT[1]: must be a number, a string or a boolean, not "
     "nothing",
     ""},
    {"ParameterMultiLineValue",
     SampleWith("ORDER: [forward, backward]", "ORDER: [\"a\\nb\", backward]"),
     "job.yaml:17:13: kernel.parameters.ORDER[0]: must be a single line of at most 128 bytes", ""},
    {"ParameterKeyword", SampleWith("OPT: [2, 3]", "int: [2, 3]"),
     "job.yaml:16:5: kernel.parameters.int: 'int' is a keyword of C++ and cannot name a parameter",
     "choose another name"},
    {"ParameterOpenClKeyword", SampleWith("OPT: [2, 3]", "float4: [2, 3]"),
     "job.yaml:16:5: kernel.parameters.float4: 'float4' is a keyword of OpenCL C and cannot name a "
     "parameter",
     "choose another name"},
    {"ParameterReserved", SampleWith("OPT: [2, 3]", "__OPT: [2, 3]"),
     "job.yaml:16:5: kernel.parameters.__OPT: '__OPT' is reserved and cannot name a parameter",
     "choose a name without '__', and without '_' and a capital or 'burnish_' in front"},
    {"ParameterExpressionWord", SampleWith("OPT: [2, 3]", "min: [2, 3]"),
     "job.yaml:16:5: kernel.parameters.min: 'min' is a word of expressions and cannot name a "
     "parameter",
     "choose another name"},
    {"ParameterNoIdentifier", SampleWith("OPT: [2, 3]", "2OPT: [2, 3]"),
     "job.yaml:16:5: kernel.parameters.2OPT: '2OPT' cannot name a parameter",
     "a name has letters, digits and '_', and does not start with a digit"},
    {"ParameterIsArgument", SampleWith("OPT: [2, 3]", "OPT: [2, 3]\n    count: [1]"),
     "job.yaml:17:5: kernel.parameters.count: 'count' is an argument and cannot be a macro too",
     "choose another name for one of them"},
    {"ParameterIsEntry", SampleWith("OPT: [2, 3]", "OPT: [2, 3]\n    add: [1]"),
     "job.yaml:17:5: kernel.parameters.add: 'add' is the kernel's entry and cannot be a macro too",
     "choose another name for one of them"},
    {"ParameterIsConstant", SampleWith("OPT: [2, 3]", "OPT: [2, 3]\n    n: [1]"),
     "job.yaml:17:5: kernel.parameters.n: 'n' is a constant already", "choose another name"},
    {"DefineUnknown", SampleWith("define: [pair]", "define: [pairs]"),
     "job.yaml:12:12: kernel.define[0]: 'pairs' is not a constant", "did you mean 'pair'?"},
    {"DefineTwice", SampleWith("define: [pair]", "define: [pair, pair]"),
     "job.yaml:12:18: kernel.define[1]: 'pair' stands twice", ""},
    {"DefineIsArgument",
     SampleWith("{n: 4096, pair: 2, scale: 1.5}\n  define: [pair]",
                "{n: 4096, pair: 2, a: 1.5}\n  define: [a]"),
     "job.yaml:12:12: kernel.define[0]: 'a' is an argument and cannot be a macro too",
     "choose another name for one of them"},
    {"FlagUnknownParameter", SampleWith("-O{OPT}", "-O{OTP}"),
     "job.yaml:13:11: kernel.flags[0]: '{OTP}' names no parameter", "did you mean 'OPT'?"},
    {"ReferenceFlagParameter",
     SampleWith("entry: add_reference}", "entry: add_reference, flags: [\"-O{OPT}\"]}"),
     "job.yaml:23:90: kernel.reference.flags[0]: '{OPT}': a reference is compiled without the "
     "parameters",
     "write the flag as the compiler takes it"},
    {"ReferenceFile",
     SampleWith("{language: cpp, source: {file: reference.cc}, entry: add_reference}",
                "{file: expected.npy}"),
     "job.yaml:23:15: kernel.reference.file: `file` is not supported by this version", ""},
    {"ReferenceConfiguration",
     SampleWith("{language: cpp, source: {file: reference.cc}, entry: add_reference}",
                "{configuration: {BLOCK: 32}}"),
     "job.yaml:23:15: kernel.reference.configuration: `configuration` is not supported by this "
     "version",
     ""},
    {"ReferenceText",
     SampleWith("{language: cpp, source: {file: reference.cc}, entry: add_reference}",
                "reference.cc"),
     "job.yaml:23:14: kernel.reference: must be a mapping, not the string 'reference.cc'",
     "write {language: cpp, source: {file: …}, entry: …}, or none"},
    {"ReferenceFileMissing", SampleWith("file: reference.cc", "file: other.cc"),
     "job.yaml:23:45: kernel.reference.source.file: the file 'other.cc' was not given with the job",
     ""},
    {"ReferenceReplayed", SampleWith("reference: {language: cpp,", "reference: {language: replay,"),
     "job.yaml:23:25: kernel.reference.language: a reference is code, which nobody can replay",
     "write cpp, or none"},
    {"ReplayedSource", SampleWith("  language: cpp\n", "  language: replay\n"),
     "job.yaml:4:3: kernel.source: a replayed kernel has no `source`",
     "remove it: the device answers from a file"},
    {"ReplayedReference",
     "name: j\nkernel: {language: replay, parameters: {A: [1]}, reference: {file: c.npy}}\n",
     "job.yaml:2:61: kernel.reference: a replayed kernel has no results to check", "write none"},
    {"ConstantList", SampleWith("scale: 1.5", "scale: [1.5]"),
     "job.yaml:11:40: kernel.constants.scale: must be a number, a string or a boolean, not a list",
     ""},
    {"ConstantOfSeveralLines", SampleWith("scale: 1.5", "scale: \"a\\nb\""),
     "job.yaml:11:40: kernel.constants.scale: must be a single line of at most 128 bytes", ""},
    {"ConstantNoIdentifier", SampleWith("scale: 1.5", "sc-ale: 1.5"),
     "job.yaml:11:33: kernel.constants.sc-ale: 'sc-ale' cannot name a constant",
     "a name has letters, digits and '_', and does not start with a digit"},
};

INSTANTIATE_TEST_SUITE_P(Table, BadJobKernelTest, testing::ValuesIn(kBadJobs), NameOfBadJob);

}  // namespace
}  // namespace burnish::spec
